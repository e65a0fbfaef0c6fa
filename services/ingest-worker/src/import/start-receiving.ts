import type { Store } from '@sluice/jobs/connect.ts';
import { type Handler, Postpone } from '@sluice/jobs/queue/consumer.ts';
import type { Logger } from '@sluice/shared/logger.ts';
import { repeat } from '@sluice/shared/repeat.ts';
import { LeaseLost } from '@sluice/store/under-lease.ts';
import { createPlaces } from '../places.ts';

const lookEveryMs = 500;
/**
 * Files that one worker cuts at once. Each takes some 15 MiB of memory. A slow server keeps its place for hours, so files in pieces
 * have places of their own.
 */
const filesAtOnce = { pieces: 2, url: 6 };

/**
 * Cuts files of imports beside the jobs of the worker, so that a slow download delays no job. No owner gets all places.
 * Returns how to stop.
 */
export function startReceiving(
  { imports }: Pick<Store['jobs'], 'imports'>,
  run: Handler<{ jobId: string }>,
  log: Logger,
): () => Promise<void> {
  const pools = [
    { from: 'pieces' as const, places: createPlaces(filesAtOnce.pieces) },
    { from: 'url' as const, places: createPlaces(filesAtOnce.url) },
  ];
  const stopping = new AbortController();
  const running = new Map<string, Promise<void>>();
  let looking = Promise.resolve();

  async function receive(jobId: string): Promise<void> {
    try {
      await run({ jobId }, stopping.signal, () => {});
    } catch (error) {
      if (error instanceof Postpone || error instanceof LeaseLost) return;
      log.warn({ event: 'import.unreceived', job: jobId, reason: (error as Error).message });
    }
  }

  async function fill({ from, places }: (typeof pools)[number]): Promise<void> {
    while (!places.isFull() && !stopping.signal.aborted) {
      const job = await imports.nextReady(from, { owners: places.full(), jobs: [...running.keys()] });
      if (!job) return;
      const work = places.hold(job.owner, receive(job.id)).finally(() => running.delete(job.id));
      running.set(job.id, work);
    }
  }

  const stop = repeat(lookEveryMs, () => {
    looking = Promise.all(pools.map(fill)).then(
      () => {},
      (error) => log.debug({ event: 'imports.missed', reason: error.message }),
    );
    return looking;
  });
  return async () => {
    stopping.abort();
    stop();
    await looking;
    await Promise.all(running.values());
  };
}
