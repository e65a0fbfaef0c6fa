import type { Producer } from '@sluice/shared/queues/producer.ts';
import type { ApplicationStore } from '@sluice/shared/store/applications.ts';

const atOnce = 500;

/** Puts purges back that the queue lost. Adding one twice does no harm. */
export function createSweep(applications: ApplicationStore, queue: Producer<{ applicationId: string }>) {
  return async function sweep(): Promise<void> {
    for (const applicationId of await applications.unpurged(atOnce)) await queue.add({ applicationId });
  };
}
