import type { Dependencies } from '../dependencies.ts';

/** Tells of a change: other API processes learn it from a worker. MongoDB knows already, the queues make it quicker. */
export function createAnnounce({ cache, queues, log }: Pick<Dependencies, 'cache' | 'queues' | 'log'>) {
  return async function announce(applicationId: string, to: ('invalidations' | 'purges')[]): Promise<void> {
    cache.drop(applicationId);
    const adding = to.map((name) => queues[name].add({ applicationId }));
    for (const result of await Promise.allSettled(adding))
      if (result.status === 'rejected')
        log.warn({ event: 'queue.missed', application: applicationId, reason: result.reason.message });
  };
}
