import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import fp from 'fastify-plugin';

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
    });
    await app.register(swaggerUi, {
      routePrefix: '/api/docs',
      staticCSP: true,
      // Behind plain HTTP an upgrade would leave the page without its scripts.
      transformStaticCSP: (policy) => policy.replace(/upgrade-insecure-requests;?/, ''),
      uiConfig: { persistAuthorization: false, displayRequestDuration: true },
    });
    app.get('/api/openapi.json', { schema: { hide: true } }, () => app.swagger());
  },
  { name: 'openapi' },
);
