import { type ErrorName, errorOf, type LineError } from '@sluice/shared/errors.ts';
import type { Count } from '@sluice/shared/metrics/cells.ts';
import type { Metrics } from '@sluice/shared/metrics/metrics.ts';
import type { onResponseHookHandler } from 'fastify';

export interface UploadMetrics {
  /** Entries that were stored. */
  stored: Count;
  /** Entries of a retry that were stored before. */
  repeated: Count;
  /** One entry that was not, by the name of its error. */
  refused(name: ErrorName): void;
  /** Of the route: measures its requests, and counts what is refused as a whole. */
  onResponse: onResponseHookHandler;
}

const isOfLines = (details: unknown[] = []): details is LineError[] =>
  typeof details[0] === 'object' && details[0] !== null && 'line' in details[0];

/** Counts what becomes of entries, with plain numbers: this is the way of each upload. */
export function createUploadMetrics(
  mode: 'single' | 'batch',
  metrics: Pick<Metrics, 'count' | 'observe'>,
): UploadMetrics {
  const count = (result: string) => metrics.count('sluice_uploads_total', { mode, result });
  const notStored = { refused: count('refused'), failed: count('failed') };
  const observe = metrics.observe('sluice_upload_duration_seconds', { mode });

  function refused(name: ErrorName): void {
    notStored[errorOf(name).status >= 500 ? 'failed' : 'refused']();
    metrics.count('sluice_upload_refusals_total', { reason: name })();
  }

  return {
    stored: count('stored'),
    repeated: count('repeated'),
    refused,
    onResponse(_request, reply, done) {
      const { failure } = reply;
      if (failure && isOfLines(failure.details)) for (const { name } of failure.details) refused(name);
      else if (failure) refused(failure.name);
      if (reply.raw.headersSent) observe(reply.elapsedTime / 1_000);
      done();
    },
  };
}
