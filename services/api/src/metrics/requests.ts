import { type ApiError, type ErrorName, errorOf, type LineError } from '@sluice/shared/errors.ts';
import type { Metrics, Observe } from '@sluice/shared/metrics/metrics.ts';
import type { FastifyInstance, FastifyReply, onResponseHookHandler, RouteOptions } from 'fastify';
import type { GroupCommit } from '../uploads/group-commit.ts';

const docs = '/api/docs';

/** Series of routes by class of status; further ones count as `other`. So a process has less than 400 series. */
const mostSeries = 90;

interface Labels {
  method: string;
  route: string;
}

const other: Labels = { method: 'other', route: 'other' };

/** Unknown paths and methods are `other`, the files of the API's page are one route, and HEAD is GET. */
function labelsOf({ method, url }: RouteOptions): Labels {
  // Only the routes of `refuseOtherMethods` have several methods.
  if (Array.isArray(method)) return other;
  return { method: method === 'HEAD' ? 'GET' : method, route: url.startsWith(docs) ? docs : url };
}

/** Measures each request, and counts refusals by limits. Call before the routes are registered. */
export function requestMetrics(app: FastifyInstance, { metrics }: { metrics: Metrics }): void {
  app.decorateReply('failure', null);

  function countLimited({ failure, statusCode }: FastifyReply): void {
    if (!failure?.limit) return;
    metrics.count('sluice_limited_total', { limit: failure.limit, answer: String(statusCode) })();
  }

  let made = 0;
  function observeAs(labels: Labels, status: string): Observe {
    const own = made < mostSeries ? labels : other;
    made += 1;
    return metrics.observe('http_request_duration_seconds', { ...own, status });
  }

  function measure(labels: Labels): onResponseHookHandler {
    const byClass: Observe[] = [];
    return (_request, reply, done) => {
      // If not, the client left before its answer.
      if (reply.raw.headersSent) {
        const hundreds = Math.floor(reply.statusCode / 100);
        byClass[hundreds] ??= observeAs(labels, `${hundreds}xx`);
        byClass[hundreds](reply.elapsedTime / 1_000);
        countLimited(reply);
      }
      done();
    };
  }

  app.addHook('onRoute', (route) => {
    route.onResponse = [measure(labelsOf(route)), ...[route.onResponse ?? []].flat()];
  });
  const measureUnknown = measure(other);
  app.addHook('onResponse', function measureIfUnknown(request, reply, done) {
    if (request.is404) measureUnknown.call(this, request, reply, done);
    else done();
  });
}

declare module 'fastify' {
  interface FastifyReply {
    /** The error that the client got. */
    failure: ApiError | null;
  }
}

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
