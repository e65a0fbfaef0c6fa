import { schemaFields } from '@sluice/schemas/fields/schema-fields.ts';
import { parseSchema } from '@sluice/schemas/schema.ts';
import { ApiError, applicationNotFound } from '@sluice/shared/errors.ts';
import type { ApplicationRecord } from '@sluice/store/applications/applications.ts';
import type { SchemaVersion as VersionRecord } from '@sluice/store/applications/schemas.ts';
import Type from 'typebox';
import type { Routes } from '../dependencies.ts';
import { Success, sendJson, sendJsonList, success } from '../http/answers.ts';
import { abortOnClose } from '../http/connections/connections.ts';
import { findApplication } from '../http/find-application.ts';
import { ByDomain, bearerRoutes, operation, overLimit, ownFailures } from '../http/route-parts.ts';
import { Text } from '../http/schemas.ts';
import { quotaReached } from '../limits/quota.ts';
import { quotas } from '../limits/table.ts';
import { createActivityOf } from './activity.ts';
import { createJudgeNewest } from './judge-newest.ts';
import {
  NewSchema,
  Publication,
  PublishQuery,
  SchemaCheck,
  SchemaToCheck,
  VersionAnswer,
} from './schema-contract.ts';
import { announce, faultOfUnique } from './steps.ts';
import { toJson } from './to-json.ts';

/** A version as JSON text, in which the schema keeps its digits. */
function versionJson({ version, rawSchema, note, createdAt, createdBy }: VersionRecord): string {
  const rest = JSON.stringify({ version, note, createdAt, createdBy });
  return `${rest.slice(0, -1)},"raw_schema":${JSON.stringify(rawSchema)},"schema":${rawSchema}}`;
}

/** What a list of versions takes in memory. */
const listBytes = 1.5 * 1024 ** 2;

const mostVersions = quotas.versions.limit;

const conflict = (application: ApplicationRecord) =>
  new ApiError(
    'ResourceConflictError',
    `version ${application.version} of the schema of ${application.domain} is in force; nothing was published`,
  );

const isVersion = /^[1-9]\d{0,6}$/;
const ByVersion = Type.Object({
  ...ByDomain.properties,
  version: Text('Version of the schema, from 1.', '1'),
});

export const schemaRoutes: Routes = async (app, dependencies) => {
  const { store, compiler, capacity, audit } = dependencies;
  const { applications, schemas } = store;
  bearerRoutes(app, 'Schemas', 'editor');
  const activityOf = createActivityOf(store);
  const newest = createJudgeNewest(dependencies);
  app.addHook('onClose', newest.close);

  /** The fields that the first version lacks: exports take their columns from the first version and from these. */
  async function furtherFields(application: ApplicationRecord, rawSchema: string): Promise<string[]> {
    const first = await schemas.of(application, 1);
    const known = new Set(first && schemaFields(parseSchema(first.rawSchema)));
    return schemaFields(parseSchema(rawSchema)).filter((field) => !known.has(field));
  }

  /** Makes the next version of a schema that compiles. The schema in force makes none. Throws ApiError. */
  async function publish(
    application: ApplicationRecord,
    version: Pick<VersionRecord, 'rawSchema' | 'note' | 'createdBy'>,
  ): Promise<ApplicationRecord> {
    if (version.rawSchema === application.rawSchema) return application;
    if (application.version >= mostVersions) throw quotaReached('versions', mostVersions);
    const fields = await furtherFields(application, version.rawSchema);
    const published = await schemas.publish(application, { ...version, fields });
    if (published) return published;
    const now = await applications.byId(application.id);
    throw now ? conflict(now) : applicationNotFound(application.domain);
  }

  app.post(
    '/schemas/validate',
    operation('validateSchema', 'Check a schema', {
      description:
        'Creates and publishes nothing: the answer says what a creation or a publication would say.',
      body: SchemaToCheck,
      response: { 200: Success(SchemaCheck), ...ownFailures('InvalidSchemaError') },
      config: { role: 'reader', textOf: 'schema' },
    }),
    async ({ body, owner }, reply) => {
      const compiled = await compiler.compile(body.schema, { client: owner.id, isNew: true });
      if (!compiled.ok) throw new ApiError('InvalidSchemaError', compiled.problem);
      return success(reply, { warnings: compiled.warnings });
    },
  );

  app.get(
    '/applications/:domain/schemas',
    operation('listSchemas', 'List versions of the schema', {
      description: 'Newest first: the first one is in force.',
      params: ByDomain,
      response: { 200: Success(Type.Array(VersionAnswer)), ...overLimit },
    }),
    async (request, reply) => {
      const application = await findApplication(applications, request);
      capacity.answers.lease(reply, request.owner.id).take(listBytes);
      async function* write(): AsyncGenerator<string> {
        for await (const version of schemas.list(application)) yield versionJson(version);
      }
      return sendJsonList(reply, write());
    },
  );

  app.get(
    '/applications/:domain/schemas/:version',
    operation('getSchema', 'Get a version of the schema', {
      params: ByVersion,
      response: { 200: Success(VersionAnswer) },
    }),
    async (request, reply) => {
      const { version } = request.params;
      const application = await findApplication(applications, request);
      const found = isVersion.test(version) && (await schemas.of(application, Number(version)));
      if (!found) {
        const message = `version ${version.slice(0, 40)} of the schema was not found`;
        throw new ApiError('ResourceNotFoundError', message);
      }
      return sendJson(reply, versionJson(found));
    },
  );

  app.post(
    '/applications/:domain/schemas',
    operation('publishSchema', 'Publish a version of the schema', {
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
      config: { textOf: 'schema' },
    }),
    async (request, reply) => {
      const { body, owner, query } = request;
      const { schema: rawSchema, note, if_version } = body;
      const application = await findApplication(applications, request);
      if (if_version !== undefined && if_version !== application.version) throw conflict(application);
      const inForce = application.rawSchema;
      const compiled = await compiler.compile(rawSchema, { client: owner.id, isNew: true, inForce });
      if (!compiled.ok) throw new ApiError('InvalidSchemaError', compiled.problem);
      const fault = faultOfUnique(application.unique, rawSchema);
      if (fault)
        throw new ApiError('InvalidSchemaError', `${fault}; or change "unique" of the application first`);
      const { warnings, changes } = compiled;
      const report = { changes, ...(warnings.length > 0 && { warnings }) };
      if (query.dry_run) {
        const mayRefuse = changes.some(({ kind }) => kind !== 'looser');
        const proposed = { rawSchema, schema: compiled.schema };
        const judged =
          mayRefuse && (await newest.judge(application, owner.id, proposed, abortOnClose(reply)));
        return sendJson(reply, JSON.stringify({ ...report, ...judged }));
      }
      // Read first: a failure after the publication would say that nothing was published.
      const activity = await activityOf([application]);
      const published = await publish(application, { rawSchema, note, createdBy: owner.username });
      const { id, domain, version } = published;
      if (version !== application.version)
        await Promise.all([
          audit.note(request, {
            action: 'schema.published',
            application: domain,
            details: { version },
            before: { version: application.version },
            after: { version },
          }),
          dependencies.store.webhooks.noteEvents(['schema.published'], [id]),
          announce(dependencies, id, ['invalidations']),
        ]);
      const text = JSON.stringify({ version, ...report });
      const shown = toJson(published, owner.id, activity.get(id));
      return sendJson(reply, `${text.slice(0, -1)},"application":${shown}}`);
    },
  );
};
