import type { Logger } from '@sluice/shared/logger.ts';
import { callsFor, type ImportCall } from '@sluice/shared/queues/imports.ts';
import type { Producer } from '@sluice/shared/queues/producer.ts';
import type { Store } from '@sluice/shared/store/connect.ts';

/** An import that has not moved for this long may be one that the queue lost. */
const forgottenMs = 6_000;
/** A file of which nothing was heard for this long: the API that took it is dead. */
const strandedMs = 5 * 60_000;
const atOnce = 500;

interface Dependencies {
  store: Pick<Store, 'jobs' | 'parts' | 'chunks'>;
  queue: Producer<ImportCall>;
  log: Logger;
}

/** Puts imports back that the queue lost, and removes what nobody wants any more. May run in many processes at once. */
export function createSweepImports({ store: { jobs, parts, chunks }, queue, log }: Dependencies) {
  const { imports } = jobs;
  const ago = (ms: number) => new Date(Date.now() - ms);

  async function remove(id: string): Promise<void> {
    await parts.sweep(id);
    await chunks.remove(id);
  }

  return async function sweepImports(): Promise<void> {
    for (const id of await imports.stranded(ago(strandedMs), atOnce)) {
      if (await imports.dismiss(id)) await remove(id);
      log.info({ event: 'import.stranded', job: id });
    }
    const now = new Date();
    for (const id of await jobs.expired('import', now, atOnce)) {
      if (!(await jobs.removeExpired(id, now))) continue;
      await remove(id);
      log.info({ event: 'import.expired', job: id });
    }
    const { failed, over } = await imports.ended(await chunks.jobs());
    for (const id of failed) await chunks.settle(id);
    for (const id of over) await chunks.removeSettled(id);
    for (const id of await jobs.forgotten('import', ago(forgottenMs), atOnce))
      for (const call of callsFor(id)) await queue.add(call);
  };
}
