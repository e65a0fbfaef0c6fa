import { ApiError } from '@sluice/shared/errors.ts';
import type { FastifyInstance, FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify';
import type { ApplicationCache } from '../applications/cache.ts';

const ofPreflight = {
  'access-control-allow-methods': 'POST',
  'access-control-allow-headers': 'X-Api-Key, Authorization, Content-Type, Content-Encoding, Idempotency-Key',
  'access-control-max-age': '600',
  'content-length': '0',
};

const askedMethod = ({ method, headers }: FastifyRequest) =>
  method === 'OPTIONS' ? headers['access-control-request-method'] : method;

/** Answers, or calls `done`. For requests with the header `Origin`, which only those of pages have. */
type CheckOrigin = (
  request: FastifyRequest,
  reply: FastifyReply,
  origin: string,
  done: HookHandlerDoneFunction,
) => void;

/**
 * Lets pages upload whose origin the application allows, and no others where it allows any. For routes that say
 * `config: { isUpload: true }`; call before they are registered.
 */
export function createCheckOrigin(app: FastifyInstance, cache: ApplicationCache): CheckOrigin {
  const urls = new Set<string>();
  app.addHook('onRoute', ({ url, config }) => {
    if (config?.isUpload) urls.add(url);
  });

  /** Resolves with true when the request goes on, with false when it is answered. */
  async function decide(request: FastifyRequest, reply: FastifyReply, origin: string): Promise<boolean> {
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
        'x-request-id, retry-after, ratelimit-limit, ratelimit-remaining, ratelimit-reset',
    });
    if (request.method !== 'OPTIONS') return true;
    reply.code(204).headers(ofPreflight).send();
    return false;
  }

  return (request, reply, origin, done) => {
    if (askedMethod(request) !== 'POST' || !urls.has(request.routeOptions.url ?? '')) done();
    else decide(request, reply, origin).then((goesOn) => goesOn && done(), done);
  };
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Pages upload here: see http/origins.ts. */
    isUpload?: true;
  }
}
