import type { ApiConfig } from '@sluice/shared/config/load.ts';
import type { Logger } from '@sluice/shared/logger.ts';
import type { Store } from '@sluice/store/connect.ts';
import fp from 'fastify-plugin';
import { auth } from '../accounts/auth.ts';
import type { ApplicationCache } from '../applications/cache.ts';
import { connectionLimit } from './connections/connection-limit.ts';
import { lingers } from './connections/lingering.ts';
import { requestHeads } from './connections/request-heads.ts';
import { slowBodies } from './connections/slow-bodies.ts';
import { envelope } from './envelope.ts';
import { headers } from './headers.ts';
import type { Lifecycle } from './health.ts';
import { jsonBody } from './json-body.ts';
import { methods } from './methods.ts';
import { openapi } from './openapi.ts';
import { validation } from './validation.ts';

interface Dependencies {
  config: ApiConfig;
  log: Logger;
  users: Store['users'];
  cache: ApplicationCache;
  lifecycle: Lifecycle;
}

/** What all routes share, in the order in which a request meets it. */
export const plugins = fp<Dependencies>(
  async (app, { config, log, users, cache, lifecycle }) => {
    await app.register(envelope);
    await app.register(jsonBody);
    await app.register(validation);
    await app.register(lingers);
    await app.register(connectionLimit, { most: config.maxConnections, log });
    await app.register(requestHeads, { cache });
    await app.register(headers, { ...config, lifecycle });
    await app.register(auth, { users, ...config.jwt });
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
