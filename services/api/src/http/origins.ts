import { ApiError } from '@sluice/shared/errors.ts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ApplicationCache } from '../applications/cache.ts';

const ofPreflight = {
  'access-control-allow-methods': 'POST',
  'access-control-allow-headers': 'X-Api-Key, Authorization, Content-Type, Content-Encoding, Idempotency-Key',
  'access-control-max-age': '600',
  'content-length': '0',
};

/**
 * Checks which pages may upload: if an application names origins, all others are refused.
 * For routes with `config: { isUpload: true }`. Call before they are registered.
 */
export function createCheckOrigin(app: FastifyInstance, cache: ApplicationCache) {
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
        'x-request-id, retry-after, ratelimit-limit, ratelimit-remaining, ratelimit-reset',
    });
    if (method !== 'OPTIONS') return true;
    reply.code(204).headers(ofPreflight).send();
    return false;
  };
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Pages may upload here: see http/origins.ts. */
    isUpload?: true;
  }
}
