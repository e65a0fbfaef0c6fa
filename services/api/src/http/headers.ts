import type { ServerResponse } from 'node:http';
import cors from '@fastify/cors';
import fp from 'fastify-plugin';
import helmet from 'helmet';
import type { Lifecycle } from './health.ts';

const protect = helmet({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
  },
  // TLS ends at the proxy, which knows whether it is there.
  strictTransportSecurity: false,
  // These are about documents, of which there are none but the page of the docs.
  crossOriginOpenerPolicy: false,
  referrerPolicy: false,
  xFrameOptions: false,
  xDnsPrefetchControl: false,
  xDownloadOptions: false,
  xPermittedCrossDomainPolicies: false,
  xXssProtection: false,
  originAgentCluster: false,
});

/** What helmet sets is the same for every answer, so it is asked once. */
function protectiveHeaders(): Record<string, string> {
  const found: Record<string, string> = {};
  const recorder = {
    setHeader: (name: string, value: string) => {
      found[name.toLowerCase()] = value;
    },
    removeHeader: () => undefined,
  } as unknown as ServerResponse;
  protect({} as never, recorder, (error) => {
    if (error) throw error;
  });
  return found;
}

const fixed = protectiveHeaders();

/** For a failure that no hook sees. */
export const ofFailure = { ...fixed, 'cache-control': 'no-store' };

/** Headers that keep browsers safe; other origins are let in only where they are named. */
export const headers = fp<{ corsOrigins: string[]; lifecycle: Lifecycle }>(
  async (app, { corsOrigins, lifecycle }) => {
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
  },
  { name: 'headers' },
);
