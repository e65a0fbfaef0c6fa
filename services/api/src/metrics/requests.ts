import type { ApiError } from '@sluice/shared/errors.ts';
import type { Metrics, Observe } from '@sluice/shared/metrics/metrics.ts';
import type { FastifyInstance, FastifyReply, onResponseHookHandler, RouteOptions } from 'fastify';

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
