import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import { version } from '@sluice/shared/version.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { apiPage } from './api-page.ts';
import { afterEarlierRequests } from './connections/connections.ts';
import { describeFailures } from './describe-failures.ts';
import { describeOperations } from './describe-operations.ts';
import type { Description } from './description.ts';
import { nameSchemas } from './name-schemas.ts';

const tags = [
  { name: 'Accounts', description: 'Register, log in, and change your profile.' },
  { name: 'Applications', description: 'What you collect: each application has a JSON Schema and a domain.' },
  { name: 'Keys', description: 'Ingest keys: secrets that allow uploads to one application.' },
  { name: 'Uploads', description: 'Send entries, one or many at a time.' },
  { name: 'Entries', description: 'Read what was uploaded.' },
  { name: 'Exports', description: 'Get all entries as a file.' },
  { name: 'Imports', description: 'Upload a large file, which workers store.' },
  { name: 'Audit', description: 'See who did what with your account.' },
  { name: 'Health', description: 'For load balancers and monitoring.' },
];

const describe = (document: object): object =>
  nameSchemas(describeOperations(describeFailures(document as Description)));

/** The description of the API, made from the schemas of its routes, and a page to try it. */
export const openapi = fp(
  async (app) => {
    await app.register(swagger, {
      convertConstToEnum: false,
      openapi: {
        openapi: '3.1.0',
        info: {
          title: 'Sluice',
          version: version(),
          description: 'Self-hosted data collection: validated, durable uploads; listing; export.',
          license: { name: 'MIT', identifier: 'MIT' },
        },
        servers: [{ url: '/', description: 'This server' }],
        tags,
        components: {
          securitySchemes: {
            bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
            ingestKey: { type: 'apiKey', in: 'header', name: 'X-Api-Key' },
          },
        },
      },
      transformObject: (document) =>
        'openapiObject' in document ? describe(document.openapiObject) : document.swaggerObject,
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
        ...apiPage,
        uiHooks: {
          preHandler: (request, reply, done) => {
            if (request.routeOptions.url === '/api/docs/json') sendDescription(request, reply);
            else done();
          },
        },
      });
    });
    app.get('/api/openapi.json', { schema: { hide: true } }, sendDescription);
  },
  { name: 'openapi' },
);
