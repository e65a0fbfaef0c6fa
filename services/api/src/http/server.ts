import { randomUUID } from 'node:crypto';
import cors from '@fastify/cors';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import { unavailable } from '@sluice/shared/errors.ts';
import type { Logger } from '@sluice/shared/logger.ts';
import fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  LogController,
  type onRequestHookHandler,
} from 'fastify';
import type { AppDependencies, Lifecycle } from '../dependencies.ts';
import { requestMetrics } from '../metrics/requests.ts';
import { fixedHeaders } from './answers.ts';
import { answerClientError } from './connections/client-errors.ts';
import { addRequest, headerLimitBytes } from './connections/connections.ts';
import { lingers } from './connections/lingering.ts';
import { requestHeads } from './connections/request-heads.ts';
import { slowBodies } from './connections/slow-bodies.ts';
import { answerError, envelope } from './envelope.ts';
import { jsonBody } from './json-body.ts';
import { lazySerializers } from './lazy-serializers.ts';
import { methods } from './methods.ts';
import { openapi } from './openapi.ts';
import { validation } from './validation.ts';

const requestId = /^[\w.:-]{1,128}$/;
/** For all bodies but uploads. A schema of 256 KiB, escaped as a JSON string, fits. */
const bodyLimit = 1024 ** 2;
const warnEveryMs = 60_000;

/** For failures for which no hook runs. */
const ofFailure = { ...fixedHeaders, 'cache-control': 'no-store' };

/** The server, with what all routes share, in the order in which a request meets it. It does not listen yet. */
export async function createServer({ config, log, cache, lifecycle, metrics, timings }: AppDependencies) {
  const { trustProxy, requestTimeoutMs } = config;
  const app: FastifyInstance = fastify({
    loggerInstance: childless(log),
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: ({ headers: { 'x-request-id': given } }) =>
      typeof given === 'string' && requestId.test(given) ? given : randomUUID(),
    bodyLimit,
    // Fastify trusts no proxy if it gets a number.
    trustProxy: typeof trustProxy === 'number' ? (_address, hop) => hop < trustProxy : trustProxy,
    // See connections/slow-bodies.ts.
    requestTimeout: 0,
    keepAliveTimeout: timings.keepAliveMs,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    schemaController: { compilersFactory: { buildSerializer: lazySerializers } },
    routerOptions: { maxParamLength: 200, ignoreTrailingSlash: true },
    clientErrorHandler: answerClientError,
    frameworkErrors: (error, request, reply) => {
      // No hook has run for this request.
      addRequest(reply);
      return answerError(error, request, reply.headers(ofFailure));
    },
    http: {
      connectionsCheckingInterval: 1_000,
      headersTimeout: Math.min(requestTimeoutMs, 10_000),
      maxHeaderSize: headerLimitBytes,
      // See connections/request-heads.ts.
      requireHostHeader: false,
    },
  });
  requestMetrics(app, { metrics });
  envelope(app);
  jsonBody(app);
  validation(app);
  lingers(app);
  limitConnections(app, config.maxConnections, log);
  requestHeads(app, { cache });
  await headers(app, { config, lifecycle });
  await openapi(app, config.console);
  methods(app);
  slowBodies(app, {
    timeoutMs: requestTimeoutMs,
    closingMs: (config.shutdownTimeoutMs - config.drainDelayMs) / 2,
  });
  if (log.isLevelEnabled('debug')) logRequests(app, log);
  return app.withTypeProvider<TypeBoxTypeProvider>();
}

/** A logger for each request would cost as much as its routing. Code that logs in a request names its id. */
function childless(log: Logger): FastifyBaseLogger {
  const same: FastifyBaseLogger = Object.create(log, { child: { value: () => same } });
  return same;
}

/** Connections above the limit are closed without an answer, which costs nothing. */
function limitConnections({ server }: FastifyInstance, limit: number, log: Logger): void {
  let warnedAt = Number.NEGATIVE_INFINITY;
  server.maxConnections = limit;
  server.on('drop', () => {
    if (performance.now() - warnedAt < warnEveryMs) return;
    warnedAt = performance.now();
    log.warn({ event: 'connections.dropped', limit }, 'more connections than MAX_CONNECTIONS');
  });
}

function logRequests(app: FastifyInstance, log: Logger): void {
  app.addHook('onResponse', (request, reply, done) => {
    const { method, id, routeOptions } = request;
    const ms = Math.round(reply.elapsedTime * 10) / 10;
    log.debug({ event: 'request', id, method, route: routeOptions.url, status: reply.statusCode, ms });
    done();
  });
}

/** Security headers for browsers, and CORS for the origins of the operator. */
async function headers(
  app: FastifyInstance,
  { config: { corsOrigins }, lifecycle }: Pick<AppDependencies, 'config' | 'lifecycle'>,
): Promise<void> {
  if (corsOrigins.length > 0) {
    await app.register(cors, {
      origin: corsOrigins.includes('*') ? '*' : corsOrigins,
      methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
      maxAge: 600,
      // Other OPTIONS requests are normal requests.
      strictPreflight: false,
      exposedHeaders: [
        'x-request-id',
        'content-disposition',
        'content-range',
        'accept-ranges',
        'etag',
        'retry-after',
        'entry-id',
        'location',
        'tus-resumable',
        'upload-expires',
        'upload-length',
        'upload-offset',
        'ratelimit-limit',
        'ratelimit-remaining',
        'ratelimit-reset',
        'sluice-schema-version',
        'sluice-schema-change',
      ],
    });
  }
  app.addHook('onSend', (request, reply, _payload, done) => {
    reply.headers(fixedHeaders).header('x-request-id', request.id);
    if (lifecycle.phase === 'draining') reply.header('connection', 'close');
    // A route may set `Cache-Control` for its successes, but not for failures.
    const hasOwn = reply.hasHeader('cache-control') || request.url.startsWith('/api/docs');
    if (!hasOwn || reply.statusCode >= 400) reply.header('cache-control', 'no-store');
    done();
  });
}

/** Until the database is prepared nothing reads or writes: it may hold only a part of a backup. */
export const untilPrepared =
  (lifecycle: Lifecycle): onRequestHookHandler =>
  (request, _reply, done) => {
    if (lifecycle.phase !== 'starting' || request.url.startsWith('/api/health/')) return done();
    done(unavailable('the database is not ready yet; nothing was done', 1));
  };
