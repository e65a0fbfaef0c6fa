import cors from '@fastify/cors';
import helmet from '@fastify/helmet';
import fp from 'fastify-plugin';

/** Headers that keep browsers safe; other origins are let in only where they are named. */
export const headers = fp<{ corsOrigins: string[] }>(
  async (app, { corsOrigins }) => {
    await app.register(helmet, {
      contentSecurityPolicy: {
        useDefaults: false,
        directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
      },
      // TLS ends at the proxy, which knows whether it is there.
      strictTransportSecurity: false,
    });
    if (corsOrigins.length > 0) {
      await app.register(cors, {
        origin: corsOrigins.includes('*') ? '*' : corsOrigins,
        exposedHeaders: ['x-request-id', 'content-disposition', 'retry-after'],
      });
    }
    app.addHook('onSend', async (request, reply) => {
      reply.header('x-request-id', request.id);
      if (!request.url.startsWith('/api/docs')) reply.header('cache-control', 'no-store');
    });
  },
  { name: 'headers' },
);
