import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import fp from 'fastify-plugin';
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
    await app.register(swaggerUi, {
      routePrefix: '/api/docs',
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
    app.get('/api/openapi.json', { schema: { hide: true } }, () => app.swagger());
  },
  { name: 'openapi' },
);
