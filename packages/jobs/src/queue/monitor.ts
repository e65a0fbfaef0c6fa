import { within } from '@sluice/shared/deadline.ts';
import { type Metrics, scrapeMs } from '@sluice/shared/metrics/metrics.ts';
import { type Consumer, type Handler, type RequeueCause, requeueCauses } from './consumer.ts';
import type { Producer } from './producer.ts';
import type { QueueDefinition, QueueKind } from './queues.ts';
import type { Redis } from './redis.ts';

const inTime = <T>(work: Promise<T>): Promise<T | undefined> =>
  within(scrapeMs, 'Redis does not answer', work).catch(() => undefined);

/** Asks at each scrape whether Redis answers, and how full it is. */
export function monitorRedis(redis: Redis, metrics: Metrics): void {
  const memory = share(() => inTime(redis.info('memory')));

  metrics.gauge('sluice_redis_up', async () => [
    { value: (await memory()) === undefined ? 0 : 1, labels: {} },
  ]);
  metrics.gauge('sluice_redis_memory_ratio', async () => {
    const text = await memory();
    const field = (name: string) => Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(text ?? '')?.[1] ?? 0);
    const limit = field('maxmemory');
    return limit > 0 ? [{ value: field('used_memory') / limit, labels: {} }] : [];
  });
}

interface Queue {
  // biome-ignore lint/suspicious/noExplicitAny: each queue has a payload of its own
  queue: Pick<Producer<any>, 'definition' | 'backlog'>;
  consumer: Pick<Consumer, 'activity'>;
}

/** Asks at each scrape for the state of these queues. While Redis is away there are no samples. */
export function monitorQueues(queues: Queue[], metrics: Metrics): void {
  const backlogs = share(async () => {
    const asked = queues.map(async ({ queue: { definition, backlog } }) => {
      const found = await inTime(backlog());
      return found ? [{ queue: definition.name, ...found }] : [];
    });
    return (await Promise.all(asked)).flat();
  });

  metrics.gauge('sluice_queue_jobs', async () =>
    (await backlogs()).flatMap(({ queue, jobs }) =>
      Object.entries(jobs).map(([state, value]) => ({ value, labels: { queue, state } })),
    ),
  );
  metrics.gauge('sluice_queue_oldest_waiting_seconds', async () =>
    (await backlogs()).map(({ queue, oldestMs }) => ({ value: oldestMs / 1_000, labels: { queue } })),
  );
  metrics.gauge('sluice_worker_last_progress_timestamp_seconds', () =>
    queues.map(({ queue: { definition }, consumer }) => ({
      value: (performance.timeOrigin + consumer.activity().lastAt) / 1_000,
      labels: { queue: definition.name },
    })),
  );
}

export function countRequeues(
  { kinds }: Pick<QueueDefinition<unknown>, 'kinds'>,
  metrics: Pick<Metrics, 'count'>,
): (kind: QueueKind, cause: RequeueCause) => void {
  const counts = new Map(
    kinds.flatMap((kind) =>
      requeueCauses.map((cause) => [
        `${kind} ${cause}`,
        metrics.count('sluice_jobs_requeued_total', { kind, cause }),
      ]),
    ),
  );
  return (kind, cause) => counts.get(`${kind} ${cause}`)?.();
}

/** Concurrent calls share one run of the work. */
function share<T>(work: () => Promise<T>): () => Promise<T> {
  let underWay: Promise<T> | undefined;
  return () => {
    underWay ??= work().finally(() => {
      underWay = undefined;
    });
    return underWay;
  };
}

export interface JobMetrics {
  /** `startedAt`: the first claim. */
  completed(startedAt: Date): void;
  failed(): void;
  /** By its owner, or with its application. */
  cancelled(): void;
}

export function createJobMetrics(kind: QueueKind, metrics: Pick<Metrics, 'count' | 'observe'>): JobMetrics {
  const ended = (result: string) => metrics.count('sluice_jobs_total', { kind, result });
  const completed = ended('completed');
  const failed = ended('failed');
  const cancelled = ended('cancelled');
  const observe = metrics.observe('sluice_job_duration_seconds', { kind });
  return {
    completed(startedAt) {
      completed();
      // The clock of MongoDB may be ahead.
      observe(Math.max(0, Date.now() - startedAt.getTime()) / 1_000);
    },
    failed: () => failed(),
    cancelled: () => cancelled(),
  };
}

/** Wraps a handler of jobs without a record: each finished job counts as completed. */
export const counted =
  <Payload>(handler: Handler<Payload>, { completed }: Pick<JobMetrics, 'completed'>): Handler<Payload> =>
  async (...given) => {
    const startedAt = new Date();
    await handler(...given);
    completed(startedAt);
  };
