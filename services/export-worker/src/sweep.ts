import type { Logger } from '@sluice/shared/logger.ts';
import type { Producer } from '@sluice/shared/queues/producer.ts';
import type { Store } from '@sluice/shared/store/connect.ts';

/** A job that has not moved for this long may be one that the queue lost, or whose worker died. */
const forgottenMs = 6_000;
const atOnce = 500;
/** A part without a record this old is of no job that is just being made, or removed. */
const orphanMs = 3_600_000;
const orphansEveryMs = 600_000;

interface Dependencies {
  store: Pick<Store, 'jobs' | 'parts'>;
  queue: Producer<{ jobId: string }>;
  log: Logger;
}

/** Puts exports back that the queue lost, and removes those whose time is over. Adding one twice does no harm. */
export function createSweep({ store: { jobs, parts }, queue, log }: Dependencies) {
  let orphansAt = performance.now();

  /** What is left of a job that is gone: stored by a worker that was taken for dead, or not yet removed by one that died. */
  async function sweepOrphans(): Promise<void> {
    if (performance.now() < orphansAt) return;
    orphansAt = performance.now() + orphansEveryMs;
    for (const id of await parts.orphaned(new Date(Date.now() - orphanMs), atOnce)) await parts.sweep(id);
  }

  return async function sweep(): Promise<void> {
    const now = new Date();
    for (const id of await jobs.expired('export', now, atOnce)) {
      if (!(await jobs.removeExpired(id, now))) continue;
      await parts.sweep(id);
      log.info({ event: 'export.expired', job: id });
    }
    for (const jobId of await jobs.forgotten('export', new Date(Date.now() - forgottenMs), atOnce))
      await queue.add({ jobId });
    await sweepOrphans();
  };
}
