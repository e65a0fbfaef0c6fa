import { randomUUID } from 'node:crypto';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { ApiConfig } from '@sluice/shared/config/load.ts';
import type { Logger } from '@sluice/shared/logger.ts';
import fastify, { LogController } from 'fastify';
import type { Timings } from '../timings.ts';
import { answerClientError } from './connections/client-errors.ts';
import { addRequest, headerLimitBytes } from './connections/connections.ts';
import { answerError } from './envelope.ts';
import { ofFailure } from './headers.ts';

const requestId = /^[\w.:-]{1,128}$/;

/** Of any body but an upload's. A schema of 256 KiB as a JSON string fits. */
const bodyLimit = 1024 ** 2;

/** A logger for each request costs as much as its routing; whoever logs in one names its id. */
function childless(log: Logger): Logger {
  const same: Logger = Object.create(log, { child: { value: () => same } });
  return same;
}

/** A Fastify server without plugins and routes. It does not listen yet. */
export function createServer(
  { trustProxy, requestTimeoutMs }: ApiConfig,
  log: Logger,
  timings: Pick<Timings, 'keepAliveMs'>,
) {
  return fastify({
    loggerInstance: childless(log),
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: ({ headers: { 'x-request-id': given } }) =>
      typeof given === 'string' && requestId.test(given) ? given : randomUUID(),
    bodyLimit,
    // Fastify itself believes nobody where it is told a number.
    trustProxy: typeof trustProxy === 'number' ? (_address, hop) => hop < trustProxy : trustProxy,
    // See connections/slow-bodies.ts.
    requestTimeout: 0,
    keepAliveTimeout: timings.keepAliveMs,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    routerOptions: { maxParamLength: 200, ignoreTrailingSlash: true },
    clientErrorHandler: answerClientError,
    frameworkErrors: (error, request, reply) => {
      // No hook has seen it.
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
  }).withTypeProvider<TypeBoxTypeProvider>();
}
