import type { ApiError } from '@sluice/shared/errors.ts';
import type { Observe } from '@sluice/shared/metrics/cells.ts';
import type { Metrics } from '@sluice/shared/metrics/metrics.ts';
import type { FastifyReply, onResponseHookHandler, RouteOptions } from 'fastify';
import fp from 'fastify-plugin';

const docs = '/api/docs';

/** Bounded: a path or a method that does not exist is `other`, the files of the API's page are one route, and HEAD is GET. */
function labelsOf({ method, url }: RouteOptions) {
  // Only the refusals of `refuseOtherMethods` have several.
  if (Array.isArray(method)) return { method: 'other', route: 'other' };
  return { method: method === 'HEAD' ? 'GET' : method, route: url.startsWith(docs) ? docs : url };
}

/** Measures each request with the time that Fastify takes anyway, and counts what a limit refused. Register before the routes. */
export const requestMetrics = fp<{ metrics: Metrics }>(
  async (app, { metrics }) => {
    app.decorateReply('failure', null);

    function countLimited({ failure, statusCode }: FastifyReply): void {
      if (!failure?.limit) return;
      metrics.count('sluice_limited_total', { limit: failure.limit, answer: String(statusCode) })();
    }

    function measure(labels: { method: string; route: string }): onResponseHookHandler {
      const byClass: Observe[] = [];
      return (_request, reply, done) => {
        // Otherwise the client left before its answer.
        if (reply.raw.headersSent) {
          const hundreds = Math.floor(reply.statusCode / 100);
          byClass[hundreds] ??= metrics.observe('http_request_duration_seconds', {
            ...labels,
            status: `${hundreds}xx`,
          });
          byClass[hundreds](reply.elapsedTime / 1_000);
          countLimited(reply);
        }
        done();
      };
    }

    app.addHook('onRoute', (route) => {
      route.onResponse = [measure(labelsOf(route)), ...[route.onResponse ?? []].flat()];
    });
    const measureUnknown = measure({ method: 'other', route: 'other' });
    app.addHook('onResponse', function measureIfUnknown(request, reply, done) {
      if (request.is404) measureUnknown.call(this, request, reply, done);
      else done();
    });
  },
  { name: 'request-metrics' },
);

declare module 'fastify' {
  interface FastifyReply {
    /** What the client is told went wrong. */
    failure: ApiError | null;
  }
}
