import { Readable } from 'node:stream';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { ApiError, applicationNotFound } from '@sluice/shared/errors.ts';
import type { ApplicationChange } from '@sluice/store/applications/applications.ts';
import Type from 'typebox';
import type { Dependencies } from '../dependencies.ts';
import { Success } from '../http/answers.ts';
import { toPackageUrl } from '../http/formats.ts';
import { ByDomain, overLimit, ownerRoutes, ownFailures } from '../http/route-parts.ts';
import { sendJson, success200 } from '../http/send-json.ts';
import { createActivityOf } from './activity.ts';
import { createAnnounce } from './announce.ts';
import {
  Application,
  ApplicationsQuery,
  ApplicationUpdate,
  type Connector,
  NewApplication,
} from './contract.ts';
import { findApplication } from './find.ts';
import { createListApplications } from './list.ts';
import { makeDomain } from './make-domain.ts';
import { createSendOne } from './send-one.ts';
import { toJson } from './to-json.ts';

const toConnectors = (connectors: Connector[]): Connector[] =>
  connectors.map(({ package_url, language }) => ({
    package_url: toPackageUrl(package_url) as string,
    language,
  }));

function toChange({
  key_required,
  allowed_origins,
  retention_days,
  connectors,
  ...rest
}: ApplicationUpdate): ApplicationChange {
  return {
    ...rest,
    ...(connectors && { connectors: toConnectors(connectors) }),
    ...(key_required !== undefined && { keyRequired: key_required }),
    ...(allowed_origins && { allowedOrigins: allowed_origins }),
    ...(retention_days !== undefined && { retentionDays: retention_days }),
  };
}

type Needs = 'store' | 'compiler' | 'cache' | 'queues' | 'quotas' | 'capacity' | 'audit' | 'log';

/** Applications of the user whose token it is. */
export const applicationRoutes: FastifyPluginAsyncTypebox<Pick<Dependencies, Needs>> = async (
  app,
  { store, compiler, cache, queues, quotas, capacity, audit, log },
) => {
  ownerRoutes(app, 'Applications');
  const { applications, refused } = store;
  const activityOf = createActivityOf(store);
  const list = createListApplications(applications, activityOf, capacity);
  const sendOne = createSendOne(activityOf);
  const announce = createAnnounce({ cache, queues, log });

  app.post(
    '/applications',
    {
      schema: {
        operationId: 'createApplication',
        summary: 'Create an application',
        body: NewApplication,
        response: { 200: Success(Application), ...ownFailures('InvalidSchemaError'), ...overLimit },
      },
      config: { textOf: 'schema' },
    },
    async (request, reply) => {
      const { body, owner } = request;
      await quotas.check('applications', owner.id);
      const compiled = await compiler.compile(body.schema, { client: owner.id, isNew: true });
      if (!compiled.ok) throw new ApiError('InvalidSchemaError', compiled.problem);
      const fields = {
        owner: { id: owner.id, username: owner.username },
        name: body.name,
        type: body.type,
        connectors: toConnectors(body.connectors ?? []),
        rawSchema: body.schema,
      };
      for (;;) {
        const created = await applications.create({ ...fields, domain: makeDomain(body.name) });
        if (!created) continue;
        await audit.note(request, { action: 'application.created', application: created.domain });
        return sendJson(reply, success200(toJson(created, undefined, compiled.warnings)));
      }
    },
  );

  app.get(
    '/applications',
    {
      schema: {
        operationId: 'listApplications',
        summary: 'List your applications',
        description: 'Newest first; with `deleted=true` those that were deleted and can be restored.',
        querystring: ApplicationsQuery,
        response: { 200: Success(Type.Array(Application)), ...overLimit },
      },
    },
    async ({ owner, method, query: { deleted, ...range } }, reply) => {
      const existence = deleted ? 'restorable' : 'alive';
      // Fastify reads a stream to its end for HEAD too, though nobody gets it.
      const sizes = method === 'HEAD' ? [] : await applications.sizesOfOwner(owner.id, range, existence);
      return sendJson(reply, Readable.from(list(reply, owner.id, sizes, existence), { highWaterMark: 1 }));
    },
  );

  app.get(
    '/applications/:domain',
    {
      schema: {
        operationId: 'getApplication',
        summary: 'Get an application',
        params: ByDomain,
        response: { 200: Success(Application) },
      },
    },
    async (request, reply) => sendOne(reply, await findApplication(applications, request)),
  );

  app.route({
    method: ['PUT', 'PATCH'],
    url: '/applications/:domain',
    schema: {
      operationId: 'updateApplication',
      summary: 'Update an application',
      description:
        'Changes its name, type or connectors, who may upload, how long entries are kept, or which refused uploads are. PUT and PATCH do the same.',
      params: ByDomain,
      body: ApplicationUpdate,
      response: { 200: Success(Application) },
    },
    handler: async (request, reply) => {
      const { params, body, owner } = request;
      const change = toChange(body);
      const updated = await applications.update(params.domain, owner.id, change);
      if (!updated) throw applicationNotFound(params.domain);
      if ('keyRequired' in change || 'allowedOrigins' in change || 'refused' in change)
        await announce(updated.id, ['invalidations']);
      if ('refused' in change) await refused.trim(updated.id, updated.refused);
      const details = { changed: Object.keys(body) };
      await audit.note(request, { action: 'application.updated', application: updated.domain, details });
      return sendOne(reply, updated);
    },
  });
};
