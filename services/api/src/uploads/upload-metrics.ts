import { type ErrorName, errorOf, type LineError } from '@sluice/shared/errors.ts';
import type { Metrics } from '@sluice/shared/metrics/metrics.ts';
import type { onResponseHookHandler } from 'fastify';
import type { GroupCommit } from './group-commit.ts';

export type UploadMetrics = ReturnType<typeof createUploadMetrics>;

const isOfLines = (details: unknown[] = []): details is LineError[] =>
  typeof details[0] === 'object' && details[0] !== null && 'line' in details[0];

/** Counts the outcomes of entries. Every upload comes here, so counts are plain numbers. */
export function createUploadMetrics(mode: 'single' | 'batch', metrics: Pick<Metrics, 'count' | 'observe'>) {
  const count = (result: string) => metrics.count('sluice_uploads_total', { mode, result });
  const notStored = { refused: count('refused'), failed: count('failed') };
  const observe = metrics.observe('sluice_upload_duration_seconds', { mode });

  /** Counts a refused or failed entry. */
  function refused(name: ErrorName): void {
    notStored[errorOf(name).status >= 500 ? 'failed' : 'refused']();
    metrics.count('sluice_upload_refusals_total', { reason: name })();
  }

  /** Measures a request, and counts the entries of one that is refused as a whole. */
  const onResponse: onResponseHookHandler = (_request, reply, done) => {
    const { failure } = reply;
    if (failure && isOfLines(failure.details)) for (const { name } of failure.details) refused(name);
    else if (failure) refused(failure.name);
    if (reply.raw.headersSent) observe(reply.elapsedTime / 1_000);
    done();
  };

  // `repeated`: entries of a retry that was stored before.
  return { stored: count('stored'), repeated: count('repeated'), refused, onResponse };
}

/** For the `onCommit` of a group commit. */
export function createCommitMetrics(metrics: Pick<Metrics, 'observe'>) {
  const entries = metrics.observe('sluice_commit_batch_documents', {});
  const time = (result: string) => metrics.observe('sluice_commit_duration_seconds', { result });
  const times = { ok: time('ok'), failed: time('failed') };
  return (count: number, ms: number, result: 'ok' | 'failed'): void => {
    entries(count);
    times[result](ms / 1_000);
  };
}

/** Each scrape reads what is not stored yet. */
export function monitorCommit(
  { pending }: Pick<GroupCommit, 'pending'>,
  metrics: Pick<Metrics, 'gauge'>,
): void {
  metrics.gauge('sluice_commit_pending_bytes', () => [{ value: pending().bytes, labels: {} }]);
  metrics.gauge('sluice_commit_oldest_seconds', () => [{ value: pending().oldestMs / 1_000, labels: {} }]);
}
