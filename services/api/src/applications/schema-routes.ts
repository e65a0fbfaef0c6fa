import { Readable } from 'node:stream';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { ApiError } from '@sluice/shared/errors.ts';
import type { SchemaVersion as VersionRecord } from '@sluice/store/applications/schemas.ts';
import Type from 'typebox';
import type { Dependencies } from '../dependencies.ts';
import { Success } from '../http/answers.ts';
import { ByDomain, overLimit, ownerRoutes, ownFailures } from '../http/route-parts.ts';
import { sendJson, success200 } from '../http/send-json.ts';
import { createActivityOf } from './activity.ts';
import { createAnnounce } from './announce.ts';
import { findApplication } from './find.ts';
import { conflict, createPublish } from './publish.ts';
import { NewSchema, Publication, PublishQuery, SchemaVersion } from './schema-contract.ts';
import { toJson } from './to-json.ts';

/** JSON in which the schema is not parsed and written again. */
function versionJson({ version, rawSchema, note, createdAt, createdBy }: VersionRecord): string {
  const rest = JSON.stringify({ version, note, createdAt, createdBy });
  return `${rest.slice(0, -1)},"raw_schema":${JSON.stringify(rawSchema)},"schema":${rawSchema}}`;
}

/** Of a list of versions in the memory of this process. */
const listBytes = 1.5 * 1024 ** 2;

const isVersion = /^[1-9]\d{0,6}$/;
const ByVersion = Type.Object({
  ...ByDomain.properties,
  version: Type.String({ description: 'Version of the schema, from 1.', examples: ['1'] }),
});

type Needs = 'store' | 'compiler' | 'cache' | 'queues' | 'capacity' | 'audit' | 'log';

/** The versions of an application's schema. */
export const schemaRoutes: FastifyPluginAsyncTypebox<Pick<Dependencies, Needs>> = async (
  app,
  { store, compiler, cache, queues, capacity, audit, log },
) => {
  const { applications, schemas } = store;
  ownerRoutes(app, 'Schemas');
  const announce = createAnnounce({ cache, queues, log });
  const publish = createPublish(store);
  const activityOf = createActivityOf(store);

  app.get(
    '/applications/:domain/schemas',
    {
      schema: {
        operationId: 'listSchemas',
        summary: 'List versions of the schema',
        description: 'Newest first: the first one is in force.',
        params: ByDomain,
        response: { 200: Success(Type.Array(SchemaVersion)), ...overLimit },
      },
    },
    async (request, reply) => {
      const application = await findApplication(applications, request);
      capacity.answers.lease(reply, request.owner.id).take(listBytes);
      async function* write(): AsyncGenerator<string> {
        let before = '{"success":true,"status":200,"data":[';
        for await (const version of schemas.list(application)) {
          yield before + versionJson(version);
          before = ',';
        }
        yield ']}';
      }
      return sendJson(reply, Readable.from(write(), { highWaterMark: 1 }));
    },
  );

  app.get(
    '/applications/:domain/schemas/:version',
    {
      schema: {
        operationId: 'getSchema',
        summary: 'Get a version of the schema',
        params: ByVersion,
        response: { 200: Success(SchemaVersion) },
      },
    },
    async (request, reply) => {
      const { version } = request.params;
      const application = await findApplication(applications, request);
      const found = isVersion.test(version) && (await schemas.of(application, Number(version)));
      if (!found) {
        const message = `version ${version.slice(0, 40)} of the schema was not found`;
        throw new ApiError('ResourceNotFoundError', message);
      }
      return sendJson(reply, success200(versionJson(found)));
    },
  );

  app.post(
    '/applications/:domain/schemas',
    {
      schema: {
        operationId: 'publishSchema',
        summary: 'Publish a version of the schema',
        description:
          'The answer names what changes for uploads. The version is in force on every replica within a second. Stored entries stay as they are. ' +
          'The schema that is in force already makes no other version.',
        params: ByDomain,
        querystring: PublishQuery,
        body: NewSchema,
        response: {
          200: Success(Publication),
          ...ownFailures('InvalidSchemaError', 'ResourceConflictError'),
          ...overLimit,
        },
      },
      config: { textOf: 'schema' },
    },
    async (request, reply) => {
      const { body, owner, query } = request;
      const { schema: rawSchema, note, if_version } = body;
      const application = await findApplication(applications, request);
      if (if_version !== undefined && if_version !== application.version) throw conflict(application);
      const inForce = application.rawSchema;
      const compiled = await compiler.compile(rawSchema, { client: owner.id, isNew: true, inForce });
      if (!compiled.ok) throw new ApiError('InvalidSchemaError', compiled.problem);
      const { warnings, changes } = compiled;
      const report = { changes, ...(warnings.length > 0 && { warnings }) };
      if (query.dry_run) return sendJson(reply, success200(JSON.stringify(report)));
      // Before: an answer that fails would say that nothing was published.
      const activity = await activityOf([application]);
      const published = await publish(application, { rawSchema, note, createdBy: owner.username });
      const { id, domain, version } = published;
      if (version !== application.version)
        await Promise.all([
          audit.note(request, { action: 'schema.published', application: domain, details: { version } }),
          announce(id, ['invalidations']),
        ]);
      const text = JSON.stringify({ version, ...report });
      const shown = toJson(published, activity.get(id));
      return sendJson(reply, success200(`${text.slice(0, -1)},"application":${shown}}`));
    },
  );
};
