import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { ApiError, type ErrorName } from '@sluice/shared/errors.ts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ApplicationCache } from '../../known/applications.ts';
import { refuseNext } from './client-errors.ts';
import { addRequest, ignoresInput } from './connections.ts';

/** The limit of HAProxy. */
const headerCountLimit = 100;

/** A host and a port (RFC 3986); may be empty. */
const hostPattern = /^[\w.~!$&'()*+,;=%:[\]-]*$/;

/** Ends the connection: it is unclear where the next request begins. */
const refuse = (name: ErrorName, message: string) =>
  new ApiError(name, message, { headers: { connection: 'close' } });

/** A loop is fast: every request comes here. */
function hasTwoHosts(rawHeaders: string[]): boolean {
  let hosts = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  return hosts > 1;
}

function wrongHost({ headers: { host }, rawHeaders, httpVersion }: IncomingMessage): string | undefined {
  if (host === undefined) return httpVersion === '1.0' ? undefined : 'the header Host is missing';
  if (!hostPattern.test(host)) return 'the header Host is not a host';
  return hasTwoHosts(rawHeaders) ? 'the header Host is there twice' : undefined;
}

/** Heads that Node.js would accept, or refuse without the envelope; undefined for a valid head. */
function wrongHead(request: IncomingMessage): ApiError | undefined {
  const { headers, rawHeaders, httpVersion } = request;
  if (rawHeaders.length > 2 * headerCountLimit)
    return refuse(
      'RequestHeaderFieldsTooLargeError',
      `the headers are more than the limit of ${headerCountLimit}`,
    );
  if (httpVersion !== '1.1' && httpVersion !== '1.0')
    return refuse('InvalidRequestError', 'only HTTP/1.1 and HTTP/1.0 are spoken here');
  const host = wrongHost(request);
  if (host) return refuse('InvalidRequestError', host);
  const { expect, 'transfer-encoding': coding } = headers;
  if (coding !== undefined && (coding.toLowerCase() !== 'chunked' || httpVersion === '1.0'))
    return refuse('InvalidRequestError', 'the only Transfer-Encoding is chunked, and it needs HTTP/1.1');
  if (expect !== undefined && expect.toLowerCase() !== '100-continue')
    return refuse('ExpectationFailedError', 'the only expectation that is met here is 100-continue');
  return undefined;
}

/** Whether an HTTP/1.0 request says `close`, which Node.js does not notice (RFC 9112, 9.3). */
const isOldLast = ({ headers: { connection = '' }, httpVersion }: IncomingMessage) =>
  httpVersion === '1.0' && /(^|,)[ \t]*close[ \t]*(,|$)/i.test(connection);

/** Sends `100 Continue` once the body is read: a request that is refused by its head need not send its body. */
function continueWhenRead(request: IncomingMessage, response: ServerResponse): void {
  request.once('resume', () => {
    if (!response.headersSent) response.writeContinue();
  });
}

/** Refuses invalid heads, and uploads by pages that the application does not allow. Call before hooks that read requests. */
export function requestHeads(app: FastifyInstance, { cache }: { cache: ApplicationCache }): void {
  const { server } = app;
  const checkOrigin = createCheckOrigin(app, cache);
  // Node.js silently drops headers above its limit.
  server.maxHeadersCount = headerCountLimit + 1;
  server.on('checkContinue', (request, response) => {
    continueWhenRead(request, response);
    server.emit('request', request, response);
  });
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  server.on('connect', (_request, socket) => {
    socket.on('error', () => {});
    refuseNext(
      socket as Socket,
      new ApiError('InvalidRequestError', 'this is no proxy: CONNECT is not taken'),
    );
  });
  const ending = new WeakSet<Socket>();
  app.addHook('onRequest', (request, reply, done) => {
    const { raw } = request;
    addRequest(reply);
    // An earlier request ends the connection, so nobody would see the answer.
    if (ignoresInput(raw.socket) || ending.has(raw.socket)) {
      reply.hijack();
      return;
    }
    if (isOldLast(raw)) {
      ending.add(raw.socket);
      reply.header('connection', 'close');
    }
    const refusal = wrongHead(raw);
    if (refusal) done(refusal);
    else if (raw.headers.origin === undefined) done();
    else checkOrigin(request, reply, raw.headers.origin).then((goesOn) => goesOn && done(), done);
  });
}

const ofPreflight = {
  'access-control-allow-methods': 'POST',
  'access-control-allow-headers':
    'X-Api-Key, Authorization, Content-Type, Content-Encoding, Idempotency-Key, Sluice-Schema-Version',
  'access-control-max-age': '600',
  'content-length': '0',
};

/**
 * Checks which pages may upload: if an application names origins, all others are refused.
 * For routes with `config: { isUpload: true }`. Call before they are registered.
 */
function createCheckOrigin(app: FastifyInstance, cache: ApplicationCache) {
  const urls = new Set<string>();
  app.addHook('onRoute', ({ url, config }) => {
    if (config?.isUpload) urls.add(url);
  });

  /** For requests with the header `Origin`, which pages send. Resolves with false once it has answered. */
  return async (request: FastifyRequest, reply: FastifyReply, origin: string): Promise<boolean> => {
    const { method, headers, routeOptions } = request;
    const asked = method === 'OPTIONS' ? headers['access-control-request-method'] : method;
    if (asked !== 'POST' || !urls.has(routeOptions.url ?? '')) return true;
    const { domain } = request.params as { domain: string };
    const application = cache.peek(domain) ?? (await cache.get(domain));
    if (!application || application.allowedOrigins.length === 0) return true;
    reply.header('vary', 'Origin');
    if (!application.allowedOrigins.includes(origin)) {
      throw new ApiError(
        'ForbiddenRequestError',
        `pages of ${origin.slice(0, 100)} may not upload to ${domain}: its owner names who may in allowed_origins`,
      );
    }
    reply.headers({
      'access-control-allow-origin': origin,
      'access-control-expose-headers':
        'x-request-id, retry-after, ratelimit-limit, ratelimit-remaining, ratelimit-reset, sluice-schema-version, sluice-schema-change',
    });
    if (method !== 'OPTIONS') return true;
    reply.code(204).headers(ofPreflight).send();
    return false;
  };
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Pages may upload here: see `createCheckOrigin`. */
    isUpload?: true;
  }
}
