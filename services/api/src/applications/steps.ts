import type { Dependencies } from '../dependencies.ts';

/** Tells other processes of a change at once. Without the queues they find it in MongoDB. */
export async function announce(
  { cache, queues, log }: Pick<Dependencies, 'cache' | 'queues' | 'log'>,
  applicationId: string,
  to: ('invalidations' | 'purges')[],
): Promise<void> {
  cache.forget(applicationId);
  const adding = to.map((name) => queues[name].add({ applicationId }));
  for (const result of await Promise.allSettled(adding))
    if (result.status === 'rejected')
      log.warn({ event: 'queue.missed', application: applicationId, reason: result.reason.message });
}
