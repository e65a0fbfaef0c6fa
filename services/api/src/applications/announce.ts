import type { Producer } from '@sluice/queues/producer.ts';
import type { Logger } from '@sluice/shared/logger.ts';
import type { ApplicationCache } from './cache.ts';

type Queue = Producer<{ applicationId: string }>;

/** Tells workers, and with them the other API processes, that an application changed. MongoDB knows already; the queues make it quicker. */
export function createAnnounce({ cache, log }: { cache: Pick<ApplicationCache, 'drop'>; log: Logger }) {
  return async function announce(applicationId: string, queues: Queue[]): Promise<void> {
    cache.drop(applicationId);
    const added = await Promise.allSettled(queues.map((queue) => queue.add({ applicationId })));
    for (const result of added) {
      if (result.status === 'rejected')
        log.warn({ event: 'queue.missed', application: applicationId, reason: result.reason.message });
    }
  };
}
