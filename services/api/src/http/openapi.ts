import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyReply, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { afterEarlierRequests } from './connections/connections.ts';
import { type Description, describeFailures } from './describe-failures.ts';

/** The description of the API, made from the schemas of its routes, and a page to try it. */
export const openapi = fp(
  async (app) => {
    await app.register(swagger, {
      openapi: {
        openapi: '3.1.0',
        info: {
          title: 'Sluice',
          version: '0.1.0',
          description: 'Self-hosted data collection: validated, durable uploads; listing; export.',
          license: { name: 'MIT' },
        },
        components: {
          securitySchemes: {
            bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
            ingestKey: { type: 'apiKey', in: 'header', name: 'X-Api-Key' },
          },
        },
      },
      transformObject: (document) =>
        'openapiObject' in document
          ? describeFailures(document.openapiObject as Description)
          : document.swaggerObject,
    });
    let bytes: Buffer | undefined;
    /** Made once, when all routes are there. */
    function sendDescription(_request: FastifyRequest, reply: FastifyReply) {
      bytes ??= Buffer.from(JSON.stringify(app.swagger()));
      return reply.type('application/json; charset=utf-8').send(bytes);
    }
    await app.register(async (docs) => {
      docs.addHook('onRequest', afterEarlierRequests);
      await docs.register(swaggerUi, {
        routePrefix: '/api/docs',
        uiHooks: {
          preHandler: (request, reply, done) => {
            if (request.routeOptions.url === '/api/docs/json') sendDescription(request, reply);
            else done();
          },
        },
        staticCSP: {
          'default-src': "'none'",
          'script-src': "'self'",
          'style-src': "'self'",
          'img-src': "'self' data:",
          'connect-src': "'self'",
          'base-uri': "'none'",
          'form-action': "'none'",
          'frame-ancestors': "'none'",
        },
        uiConfig: { persistAuthorization: false, displayRequestDuration: true },
      });
    });
    app.get('/api/openapi.json', { schema: { hide: true } }, sendDescription);
  },
  { name: 'openapi' },
);
