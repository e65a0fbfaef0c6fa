import { ApiError } from '@sluice/shared/errors.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import type { ApplicationCache } from '../uploads/application-cache.ts';

const ofPreflight = {
  'access-control-allow-methods': 'POST',
  'access-control-allow-headers': 'X-Api-Key, Authorization, Content-Type, Content-Encoding, Idempotency-Key',
  'access-control-max-age': '600',
  'content-length': '0',
};

const askedMethod = ({ method, headers }: FastifyRequest) =>
  method === 'OPTIONS' ? headers['access-control-request-method'] : method;

/**
 * Lets pages upload whose origin the application allows, and no others where it allows any. Of routes that say
 * `config: { isUpload: true }`; register before them, and before what answers preflights for all routes.
 */
export const origins = fp<{ cache: ApplicationCache }>(
  async (app, { cache }) => {
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

    app.addHook('onRequest', (request, reply, done) => {
      const { origin } = request.headers;
      // Not the request of a page.
      if (origin === undefined) done();
      else if (askedMethod(request) !== 'POST' || !urls.has(request.routeOptions.url ?? '')) done();
      else decide(request, reply, origin).then((goesOn) => goesOn && done(), done);
    });
  },
  { name: 'origins' },
);

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Pages upload here: see plugins/origins.ts. */
    isUpload?: true;
  }
}
