import { Readable } from 'node:stream';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { Producer } from '@sluice/queues/producer.ts';
import type { Compiler } from '@sluice/schemas/compile/compiler.ts';
import {
  Application,
  ApplicationsQuery,
  ApplicationUpdate,
  type Connector,
  NewApplication,
} from '@sluice/shared/contracts/applications.ts';
import { Message, Success } from '@sluice/shared/contracts/envelope.ts';
import { ApiError, applicationNotFound } from '@sluice/shared/errors.ts';
import type { Logger } from '@sluice/shared/logger.ts';
import type {
  ApplicationChange,
  ApplicationRecord,
  ApplicationStore,
} from '@sluice/store/applications/applications.ts';
import type { FastifyReply } from 'fastify';
import Type from 'typebox';
import type { Audit } from '../audit/audit.ts';
import { success } from '../http/envelope.ts';
import { ByDomain, failures, overLimit, refusals, security } from '../http/route-parts.ts';
import type { Capacities } from '../limits/capacity.ts';
import type { Quotas } from '../limits/quota.ts';
import { createAnnounce } from './announce.ts';
import type { ApplicationCache } from './cache.ts';
import { createListApplications } from './list.ts';
import { makeDomain } from './make-domain.ts';
import { toPackageUrl } from './package-url.ts';
import { toJson } from './shown.ts';

interface Dependencies {
  applications: ApplicationStore;
  compiler: Compiler;
  quotas: Pick<Quotas, 'check'>;
  capacity: Pick<Capacities, 'lists' | 'listParts'>;
  cache: Pick<ApplicationCache, 'drop'>;
  /** Of applications that the caches of all API processes shall drop, and that shall be purged. */
  queues: Record<'invalidations' | 'purges', Producer<{ applicationId: string }>>;
  audit: Audit;
  log: Logger;
}

const toConnectors = (connectors: Connector[]): Connector[] =>
  connectors.map(({ package_url, language }) => ({
    package_url: toPackageUrl(package_url) as string,
    language,
  }));

function toChange({
  key_required,
  allowed_origins,
  connectors,
  ...rest
}: ApplicationUpdate): ApplicationChange {
  return {
    ...rest,
    ...(connectors && { connectors: toConnectors(connectors) }),
    ...(key_required !== undefined && { keyRequired: key_required }),
    ...(allowed_origins && { allowedOrigins: allowed_origins }),
  };
}

const json = 'application/json; charset=utf-8';

/** Sends what is written already: the type is that of the value. */
const sendJson = (reply: FastifyReply, text: string | Readable) =>
  reply.type(json).send(text as never) as never;

const sendOne = (reply: FastifyReply, application: ApplicationRecord) =>
  sendJson(reply, `{"success":true,"status":200,"data":${toJson(application)}}`);

const tags = ['Applications'];

/** Applications of the user whose token it is. */
export const applicationRoutes: FastifyPluginAsyncTypebox<Dependencies> = async (
  app,
  { applications, compiler, quotas, capacity, cache, queues, audit, log },
) => {
  app.addHook('onRequest', app.authenticate);
  const list = createListApplications(applications, capacity);
  const announce = createAnnounce({ cache, log });
  const onAccessChanged = (id: string) => announce(id, [queues.invalidations]);
  const onDeleted = (id: string) => announce(id, [queues.invalidations, queues.purges]);

  app.post(
    '/applications',
    {
      schema: {
        summary: 'Create an application',
        tags,
        security,
        body: NewApplication,
        response: { 200: Success(Application), ...refusals(422), ...overLimit, ...failures },
      },
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
        return sendOne(reply, created);
      }
    },
  );

  app.get(
    '/applications',
    {
      schema: {
        summary: 'List your applications, newest first',
        tags,
        security,
        querystring: ApplicationsQuery,
        response: { 200: Success(Type.Array(Application)), ...overLimit, ...failures },
      },
    },
    async ({ owner, method, query }, reply) => {
      // Fastify reads a stream to its end for HEAD too, though nobody gets it.
      const sizes = method === 'HEAD' ? [] : await applications.sizesOfOwner(owner.id, query);
      return sendJson(reply, Readable.from(list(reply, owner.id, sizes), { highWaterMark: 1 }));
    },
  );

  app.get(
    '/applications/:domain',
    {
      schema: {
        summary: 'An application',
        tags,
        security,
        params: ByDomain,
        response: { 200: Success(Application), ...failures },
      },
    },
    async ({ params, owner }, reply) => {
      const found = await applications.ofOwner(params.domain, owner.id);
      if (!found) throw applicationNotFound(params.domain);
      return sendOne(reply, found);
    },
  );

  for (const method of ['PUT', 'PATCH'] as const) {
    app.route({
      method,
      url: '/applications/:domain',
      schema: {
        summary: 'Update name, type, connectors, or who may upload',
        tags,
        security,
        params: ByDomain,
        body: ApplicationUpdate,
        response: { 200: Success(Application), ...failures },
      },
      handler: async (request, reply) => {
        const { params, body, owner } = request;
        const change = toChange(body);
        const updated = await applications.update(params.domain, owner.id, change);
        if (!updated) throw applicationNotFound(params.domain);
        if ('keyRequired' in change || 'allowedOrigins' in change) await onAccessChanged(updated.id);
        const details = { changed: Object.keys(body) };
        await audit.note(request, { action: 'application.updated', application: updated.domain, details });
        return sendOne(reply, updated);
      },
    });
  }

  app.delete(
    '/applications/:domain',
    {
      schema: {
        summary: 'Delete an application with all its entries',
        tags,
        security,
        params: ByDomain,
        response: { 200: Success(Message), ...failures },
      },
    },
    async (request, reply) => {
      const { params, owner } = request;
      const id = await applications.remove(params.domain, owner.id);
      if (!id) throw applicationNotFound(params.domain);
      const event = { action: 'application.deleted', application: params.domain } as const;
      await Promise.all([audit.note(request, event), onDeleted(id)]);
      return success(reply, {
        message: `application ${params.domain} was deleted; its entries are being purged`,
      });
    },
  );
};
