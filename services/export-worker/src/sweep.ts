import type { Logger } from '@sluice/shared/logger.ts';
import type { Producer } from '@sluice/shared/queues/producer.ts';
import type { Store } from '@sluice/shared/store/connect.ts';

/** A job that has not moved for this long may be one that the queue lost. */
const forgottenMs = 15_000;
const atOnce = 500;

interface Dependencies {
  store: Pick<Store, 'jobs' | 'parts'>;
  queue: Producer<{ jobId: string }>;
  log: Logger;
}

/** Puts exports back that the queue lost, and removes those whose time is over. Adding one twice does no harm. */
export function createSweep({ store: { jobs, parts }, queue, log }: Dependencies) {
  return async function sweep(): Promise<void> {
    for (const id of await jobs.expired(new Date(), atOnce)) {
      await parts.sweep(id);
      await jobs.remove(id);
      log.info({ event: 'export.expired', job: id });
    }
    for (const jobId of await jobs.forgotten(new Date(Date.now() - forgottenMs), atOnce))
      await queue.add({ jobId });
  };
}
