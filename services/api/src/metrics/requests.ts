import type { ApiError } from '@sluice/shared/errors.ts';
import type { Observe } from '@sluice/shared/metrics/cells.ts';
import type { Metrics } from '@sluice/shared/metrics/metrics.ts';
import type { FastifyReply, onResponseHookHandler, RouteOptions } from 'fastify';
import fp from 'fastify-plugin';

const docs = '/api/docs';

/** Of routes with a class of status; what comes after them is `other`. A process shall have less than 400 series, whatever is asked for. */
const mostSeries = 90;

interface Labels {
  method: string;
  route: string;
}

const other: Labels = { method: 'other', route: 'other' };

/** Bounded: a path or a method that does not exist is `other`, the files of the API's page are one route, and HEAD is GET. */
function labelsOf({ method, url }: RouteOptions): Labels {
  // Only the refusals of `refuseOtherMethods` have several.
  if (Array.isArray(method)) return other;
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

    let made = 0;
    function observeAs(labels: Labels, status: string): Observe {
      const own = made < mostSeries ? labels : other;
      made += 1;
      return metrics.observe('http_request_duration_seconds', { ...own, status });
    }

    function measure(labels: Labels): onResponseHookHandler {
      const byClass: Observe[] = [];
      return (_request, reply, done) => {
        // Otherwise the client left before its answer.
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
  },
  { name: 'request-metrics' },
);

declare module 'fastify' {
  interface FastifyReply {
    /** What the client is told went wrong. */
    failure: ApiError | null;
  }
}
