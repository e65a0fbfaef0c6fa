import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import { Failure } from '@sluice/shared/contracts/envelope.ts';
import { errorsOf } from '@sluice/shared/errors.ts';
import fp from 'fastify-plugin';

/** What any request can be answered with, and what any request with a body. */
const ofAll = [400, 408, 417, 431];
const ofBodies = [413, 415];

interface Operation {
  requestBody?: unknown;
  responses?: Record<string, unknown>;
}

const toResponse = (status: number) => ({
  description: errorsOf(status)
    .map(({ name, description }) => `\`${name}\`: ${description}`)
    .join(' '),
  content: { 'application/json': { schema: Failure } },
});

function addCommon({ requestBody, responses = {} }: Operation): void {
  for (const status of requestBody ? [...ofAll, ...ofBodies] : ofAll)
    responses[status] ??= { $ref: `#/components/responses/${status}` };
}

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
          responses: Object.fromEntries(
            [...ofAll, ...ofBodies].map((status) => [status, toResponse(status)]),
          ),
        },
      },
      transformObject(document) {
        const { openapiObject } = document as Extract<typeof document, { openapiObject: unknown }>;
        for (const operations of Object.values(openapiObject.paths ?? {}))
          for (const operation of Object.values(operations as Record<string, Operation>))
            addCommon(operation);
        return openapiObject;
      },
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
