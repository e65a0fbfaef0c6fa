import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import swagger from '@fastify/swagger';
import swaggerUi, { type FastifySwaggerUiOptions } from '@fastify/swagger-ui';
import { version } from '@sluice/shared/version.ts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { afterEarlierRequests } from './connections/connections.ts';

import { type Description, describeFailures, describeOperations } from './describe.ts';
import { nameSchemas } from './name-schemas.ts';

/** Of a browser's session. */
export const cookieName = 'sluice_session';

const tags = [
  { name: 'Accounts', description: 'Register, log in, and change your profile.' },
  { name: 'Applications', description: 'What you collect: each application has a JSON Schema and a domain.' },
  { name: 'Members', description: 'Share an application with other users.' },
  { name: 'Schemas', description: 'Check, rehearse and publish versions of a schema.' },
  { name: 'Clients', description: 'Typed programs that send the entries of an application.' },
  { name: 'Keys', description: 'Ingest keys: secrets that allow uploads to one application.' },
  { name: 'Uploads', description: 'Send entries, one or many at a time.' },
  { name: 'Refused uploads', description: 'See what was refused and why, and replay it.' },
  { name: 'Entries', description: 'Read, follow, count and delete what was uploaded.' },
  { name: 'Questions', description: 'Ask in SQL over all entries.' },
  { name: 'Views', description: 'Keep selections of entries under a name.' },
  { name: 'Exports', description: 'Get all entries as a file.' },
  { name: 'Imports', description: 'Upload a large file, which workers store.' },
  { name: 'Archives', description: 'Put all entries into a bucket or a folder, on a schedule.' },
  { name: 'Webhooks', description: 'Post what happens to your own programs.' },
  { name: 'Alerts', description: 'Choose what you are told by e-mail.' },
  { name: 'Activity', description: 'See who did what with an application and with your account.' },
  { name: 'Health', description: 'For load balancers and monitoring.' },
];

const read = (name: string) => readFileSync(join(import.meta.dirname, name), 'utf8');
/** The hash of the one `<style>` that Swagger UI adds. */
const ownStyle = "'sha256-RL3ie0nH+Lzz2YNqQN83mnU0J1ot4QL7b99vMdIX99w='";

/** The page at /api/docs: Swagger UI with Sluice's theme. It loads only its own files. */
const apiPage = (hasConsole: boolean) =>
  ({
    routePrefix: '/api/docs',
    theme: {
      title: 'Sluice API',
      css: [{ filename: 'theme.css', content: read('api-page.css') }],
      js: [
        { filename: 'theme.js', content: read('api-page.js') },
        ...(hasConsole ? [{ filename: 'console.js', content: read('api-console.js') }] : []),
      ],
      favicon: [
        {
          filename: 'icon.svg',
          rel: 'icon',
          type: 'image/svg+xml',
          sizes: 'any',
          content: read('api-icon.svg'),
        },
      ],
    },
    staticCSP: {
      'default-src': "'none'",
      'script-src': "'self'",
      'style-src': `'self' ${ownStyle}`,
      'img-src': "'self' data:",
      'connect-src': "'self'",
      'base-uri': "'none'",
      'form-action': "'none'",
      'frame-ancestors': "'none'",
    },
    uiConfig: {
      // The standalone layout has a bar with a logo.
      layout: 'BaseLayout',
      // Deep links would put a link into a button.
      deepLinking: false,
      persistAuthorization: false,
      displayRequestDuration: true,
      tryItOutEnabled: true,
      docExpansion: 'list',
      defaultModelsExpandDepth: -1,
    },
  }) satisfies FastifySwaggerUiOptions;

const describe = (document: object): object =>
  nameSchemas(describeOperations(describeFailures(document as Description)));

/** The description of the API, made from the schemas of its routes, and a page to try it. */
export async function openapi(app: FastifyInstance, hasConsole: boolean): Promise<void> {
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
          session: { type: 'apiKey', in: 'cookie', name: cookieName },
        },
      },
    },
    transformObject: (document) =>
      'openapiObject' in document ? describe(document.openapiObject) : document.swaggerObject,
  });
  let bytes: Buffer | undefined;
  /** Made by the first request, when all routes are registered. */
  function sendDescription(_request: FastifyRequest, reply: FastifyReply) {
    bytes ??= Buffer.from(JSON.stringify(app.swagger()));
    return reply.type('application/json; charset=utf-8').send(bytes);
  }
  await app.register(async (docs) => {
    docs.addHook('onRequest', afterEarlierRequests);
    await docs.register(swaggerUi, {
      ...apiPage(hasConsole),
      uiHooks: {
        preHandler: (request, reply, done) => {
          if (request.routeOptions.url === '/api/docs/json') sendDescription(request, reply);
          else done();
        },
      },
    });
  });
  app.get('/api/openapi.json', { schema: { hide: true } }, sendDescription);
}
