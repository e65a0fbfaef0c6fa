import fp from 'fastify-plugin';
import { auth } from '../accounts/auth.ts';
import type { AppDependencies } from '../dependencies.ts';
import { requestMetrics } from '../metrics/requests.ts';
import { lingers } from './connections/lingering.ts';
import { requestHeads } from './connections/request-heads.ts';
import { slowBodies } from './connections/slow-bodies.ts';
import { envelope } from './envelope.ts';
import { headers } from './headers.ts';
import { jsonBody } from './json-body.ts';
import { methods } from './methods.ts';
import { openapi } from './openapi.ts';
import { validation } from './validation.ts';

const warnEveryMs = 60_000;

/** What all routes share, in the order in which a request meets it. */
export const plugins = fp<AppDependencies>(
  async (app, { config, log, store, cache, lifecycle, metrics }) => {
    await app.register(requestMetrics, { metrics });
    await app.register(envelope);
    await app.register(jsonBody);
    await app.register(validation);
    await app.register(lingers);
    const limit = config.maxConnections;
    let warnedAt = Number.NEGATIVE_INFINITY;
    // Connections beyond the limit are closed without a word, which costs nothing.
    app.server.maxConnections = limit;
    app.server.on('drop', () => {
      if (performance.now() - warnedAt < warnEveryMs) return;
      warnedAt = performance.now();
      log.warn({ event: 'connections.dropped', limit }, 'more connections than MAX_CONNECTIONS');
    });
    await app.register(requestHeads, { cache });
    await app.register(headers, { ...config, lifecycle });
    await app.register(auth, { store, config });
    await app.register(openapi);
    await app.register(methods);
    await app.register(slowBodies, {
      timeoutMs: config.requestTimeoutMs,
      closingMs: (config.shutdownTimeoutMs - config.drainDelayMs) / 2,
    });
    if (log.isLevelEnabled('debug')) {
      app.addHook('onResponse', (request, reply, done) => {
        const { method, id, routeOptions } = request;
        const ms = Math.round(reply.elapsedTime * 10) / 10;
        log.debug({ event: 'request', id, method, route: routeOptions.url, status: reply.statusCode, ms });
        done();
      });
    }
  },
  { name: 'plugins' },
);
