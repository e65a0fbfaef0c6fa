import type { Metrics } from '@sluice/shared/metrics/metrics.ts';
import type { GroupCommit } from '../uploads/group-commit.ts';

/** Hears of each insert of a group commit. */
export function createCommitMetrics(metrics: Pick<Metrics, 'observe'>) {
  const entries = metrics.observe('sluice_commit_batch_documents', {});
  const time = (result: string) => metrics.observe('sluice_commit_duration_seconds', { result });
  const times = { ok: time('ok'), failed: time('failed') };
  return (count: number, ms: number, result: 'ok' | 'failed'): void => {
    entries(count);
    times[result](ms / 1_000);
  };
}

/** Looks at each scrape what has not been stored yet. */
export function monitorCommit(
  { pending }: Pick<GroupCommit, 'pending'>,
  metrics: Pick<Metrics, 'gauge'>,
): void {
  metrics.gauge('sluice_commit_pending_bytes', () => [{ value: pending().bytes, labels: {} }]);
  metrics.gauge('sluice_commit_oldest_seconds', () => [{ value: pending().oldestMs / 1_000, labels: {} }]);
}
