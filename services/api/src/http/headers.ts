import cors from '@fastify/cors';
import type { FastifyInstance } from 'fastify';
import type { Lifecycle } from '../dependencies.ts';

/** HSTS is the proxy's to send: TLS ends there. Other headers are about documents, of which there is only the page of the docs. */
const fixed = {
  'content-security-policy': "default-src 'none';frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
};

/** For a failure that no hook sees. */
export const ofFailure = { ...fixed, 'cache-control': 'no-store' };

/** Headers that keep browsers safe; other origins are let in only where they are named. */
export async function headers(
  app: FastifyInstance,
  { corsOrigins, lifecycle }: { corsOrigins: string[]; lifecycle: Lifecycle },
): Promise<void> {
  if (corsOrigins.length > 0) {
    await app.register(cors, {
      origin: corsOrigins.includes('*') ? '*' : corsOrigins,
      methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
      maxAge: 600,
      // What is no preflight is a request like others.
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
    // A client that keeps its connection would find it closed.
    if (lifecycle.phase === 'draining') reply.header('connection', 'close');
    // A route may say otherwise of what it answers, not of a failure, which begins like it.
    const hasOwn = reply.hasHeader('cache-control') || request.url.startsWith('/api/docs');
    if (!hasOwn || reply.statusCode >= 400) reply.header('cache-control', 'no-store');
    done();
  });
}
