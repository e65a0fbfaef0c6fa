import type { Metrics } from '@sluice/shared/metrics/metrics.ts';
import type { Handler } from './consumer.ts';
import type { Kind } from './queues.ts';

/** Hears of jobs of a kind that ended. */
export interface JobMetrics {
  /** `startedAt`: when a worker first took the job. */
  completed(startedAt: Date): void;
  failed(): void;
  /** Its application is deleted. */
  cancelled(): void;
}

export function createJobMetrics(kind: Kind, metrics: Pick<Metrics, 'count' | 'observe'>): JobMetrics {
  const ended = (result: string) => metrics.count('sluice_jobs_total', { kind, result });
  const completed = ended('completed');
  const failed = ended('failed');
  const cancelled = ended('cancelled');
  const observe = metrics.observe('sluice_job_duration_seconds', { kind });
  return {
    completed(startedAt) {
      completed();
      // The clock of MongoDB, which may be ahead.
      observe(Math.max(0, Date.now() - startedAt.getTime()) / 1_000);
    },
    failed: () => failed(),
    cancelled: () => cancelled(),
  };
}

/** The handler of jobs that have no record: each that it ends is completed. */
export const counted =
  <Payload>(handler: Handler<Payload>, { completed }: Pick<JobMetrics, 'completed'>): Handler<Payload> =>
  async (...given) => {
    const startedAt = new Date();
    await handler(...given);
    completed(startedAt);
  };
