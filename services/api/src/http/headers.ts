import cors from '@fastify/cors';
import type { FastifyInstance } from 'fastify';
import type { Lifecycle } from '../dependencies.ts';

/** HSTS is the task of the proxy, where TLS ends. */
const fixed = {
  'content-security-policy': "default-src 'none';frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
};

/** For failures for which no hook runs. */
export const ofFailure = { ...fixed, 'cache-control': 'no-store' };

/** Security headers for browsers, and CORS for the origins of the operator. */
export async function headers(
  app: FastifyInstance,
  { corsOrigins, lifecycle }: { corsOrigins: string[]; lifecycle: Lifecycle },
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
        'ratelimit-limit',
        'ratelimit-remaining',
        'ratelimit-reset',
      ],
    });
  }
  app.addHook('onSend', (request, reply, _payload, done) => {
    reply.headers(fixed).header('x-request-id', request.id);
    if (lifecycle.phase === 'draining') reply.header('connection', 'close');
    // A route may set `Cache-Control` for its successes, but not for failures.
    const hasOwn = reply.hasHeader('cache-control') || request.url.startsWith('/api/docs');
    if (!hasOwn || reply.statusCode >= 400) reply.header('cache-control', 'no-store');
    done();
  });
}
