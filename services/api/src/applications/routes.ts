import { randomInt } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { ApiError, applicationNotFound } from '@sluice/shared/errors.ts';
import type { ApplicationChange, ApplicationRecord } from '@sluice/store/applications/applications.ts';
import slugify from 'slugify';
import Type from 'typebox';
import type { Routes } from '../dependencies.ts';
import { Success, SuccessMessage, sendJson, sendJsonList, success } from '../http/answers.ts';
import { findApplication, requireRole } from '../http/find-application.ts';
import { ByDomain, bearerRoutes, operation, overLimit, ownFailures } from '../http/route-parts.ts';
import { toPackageUrl } from '../http/validation.ts';
import { createKeyActivity } from '../known/key-activity.ts';
import { createActivityOf } from './activity.ts';
import {
  ApplicationAnswer,
  ApplicationQuery,
  ApplicationsQuery,
  ApplicationUpdate,
  type Connector,
  NewApplication,
} from './contract.ts';
import { archiveChanged, checkArchive } from './retention.ts';
import { announce, checkUnique } from './steps.ts';
import { createListApplications, createSendOne, settingsOf, toJson } from './to-json.ts';
import { giveStoredValues } from './unique-routes.ts';

const toConnectors = (connectors: Connector[]): Connector[] =>
  connectors.map(({ package_url, language }) => ({
    package_url: toPackageUrl(package_url) as string,
    language,
  }));

function toChange({
  key_required,
  allowed_origins,
  retention_days,
  archive,
  connectors,
  ...rest
}: ApplicationUpdate): ApplicationChange {
  return {
    ...rest,
    ...(connectors && { connectors: toConnectors(connectors) }),
    ...(key_required !== undefined && { keyRequired: key_required }),
    ...(allowed_origins && { allowedOrigins: allowed_origins }),
    ...(retention_days !== undefined && { retentionDays: retention_days }),
    ...(archive !== undefined && { retentionArchive: archive }),
  };
}

const ownersOnly = ['retentionDays', 'retentionArchive', 'unique'] as const;
/** Settings that uploads must obey at once. */
const touchesUploads = ['keyRequired', 'allowedOrigins', 'refused', 'unique'] as const;

export const applicationRoutes: Routes = async (app, dependencies) => {
  const { store, compiler, quotas, capacity, audit, config } = dependencies;
  bearerRoutes(app, 'Applications');
  const { applications, refused } = store;
  const activityOf = createActivityOf(store);
  const list = createListApplications(applications, activityOf, capacity);
  const sendOne = createSendOne(activityOf);
  const activity = createKeyActivity(store);

  /** Tells whom the owner has just locked out. */
  async function warnOfKeyless(application: ApplicationRecord): Promise<string[]> {
    const count = await capacity.pageReads.runInFairOrder(application.owner.id, () =>
      activity.withoutKey(application),
    );
    if (count === 0) return [];
    const entries = count === 1 ? '1 entry' : `${count.toLocaleString('en')} entries`;
    return [`${entries} of the last hour came without a valid key; such uploads are refused from now on`];
  }

  app.post(
    '/applications',
    operation('createApplication', 'Create an application', {
      body: NewApplication,
      response: { 200: Success(ApplicationAnswer), ...ownFailures('InvalidSchemaError'), ...overLimit },
      config: { textOf: 'schema' },
    }),
    async (request, reply) => {
      const { body, owner } = request;
      await quotas.check('applications', owner.id);
      const compiled = await compiler.compile(body.schema, { client: owner.id, isNew: true });
      if (!compiled.ok) throw new ApiError('InvalidSchemaError', compiled.problem);
      checkUnique(body.unique, body.schema);
      const fields = {
        owner: { id: owner.id, username: owner.username },
        name: body.name,
        type: body.type,
        connectors: toConnectors(body.connectors ?? []),
        rawSchema: body.schema,
        unique: body.unique,
      };
      for (;;) {
        const created = await applications.create({ ...fields, domain: makeDomain(body.name) });
        if (!created) continue;
        const what = { application: created.domain, after: settingsOf(created) };
        await audit.note(request, { action: 'application.created', ...what });
        return sendJson(reply, toJson(created, owner.id, undefined, compiled.warnings));
      }
    },
  );

  app.get(
    '/applications',
    operation('listApplications', 'List your applications', {
      description:
        'Newest first; with `deleted=true` those that were deleted and can be restored, with `shared=true` those that others share with you.',
      querystring: ApplicationsQuery,
      response: { 200: Success(Type.Array(ApplicationAnswer)), ...overLimit },
    }),
    async ({ owner, grant, method, query: { deleted, shared, ...page } }, reply) => {
      const existence = deleted ? 'restorable' : 'alive';
      const range = { ...page, whose: shared ? 'shared' : 'own', domains: grant?.applications } as const;
      // Fastify reads a stream to its end for HEAD too.
      const sizes = method === 'HEAD' ? [] : await applications.sizesOf(owner.id, range, existence);
      return sendJsonList(reply, list(reply, owner.id, sizes, existence));
    },
  );

  app.get(
    '/applications/:domain',
    operation('getApplication', 'Get an application', {
      params: ByDomain,
      querystring: ApplicationQuery,
      response: { 200: Success(ApplicationAnswer), ...overLimit },
    }),
    async (request, reply) => {
      const { owner, query } = request;
      const application = await findApplication(applications, request);
      const read = () => store.milestones.usage(application.id);
      const usage = query.bytes ? await capacity.pageReads.runInFairOrder(owner.id, read) : undefined;
      return sendOne(reply, application, owner.id, { bytes: usage?.bytes });
    },
  );

  app.route({
    method: ['PUT', 'PATCH'],
    url: '/applications/:domain',
    ...operation('updateApplication', 'Update an application', {
      description:
        'Changes its name, type or connectors, who may upload, which member is unique, how long entries are kept, or which refused uploads are. PUT does the same.',
      params: ByDomain,
      body: ApplicationUpdate,
      response: { 200: Success(ApplicationAnswer), ...ownFailures('ResourceConflictError') },
    }),
    handler: async (request, reply) => {
      const { params, body, owner } = request;
      const application = await findApplication(applications, request);
      const change = toChange(body);
      if (ownersOnly.some((name) => name in change)) requireRole(application, owner, 'owner');
      const { retentionArchive } = change;
      if (retentionArchive !== undefined) await checkArchive(store.archives, application, retentionArchive);
      checkUnique(change.unique, application.rawSchema);
      const { unique } = change;
      const isNewUnique = unique && !isDeepStrictEqual({ ...unique }, { ...application.unique });
      if (isNewUnique) await quotas.check('jobs', application.owner.id);
      const updated = await applications.update(application.id, change);
      if (!updated && retentionArchive !== undefined && (await applications.byId(application.id)))
        throw archiveChanged();
      if (!updated) throw applicationNotFound(params.domain);
      if (touchesUploads.some((name) => name in change))
        await announce(dependencies, updated.id, ['invalidations']);
      if ('refused' in change) await refused.trim(updated.id, updated.refused);
      const details = { changed: Object.keys(body) };
      const what = { application: updated.domain, details };
      const settings = { before: settingsOf(application), after: settingsOf(updated) };
      await audit.note(request, { action: 'application.updated', ...what, ...settings });
      const isLocked = updated.keyRequired && !application.keyRequired;
      const warnings = [
        ...(isLocked ? await warnOfKeyless(updated) : []),
        ...(isNewUnique ? await giveStoredValues(dependencies, request, updated, unique) : []),
      ];
      return sendOne(reply, updated, owner.id, { warnings });
    },
  });

  app.delete(
    '/applications/:domain',
    operation('deleteApplication', 'Delete an application with all its entries', {
      description:
        'Uploads stop, and unfinished jobs are cancelled. Until the time in the message you can restore it; then it is purged.',
      params: ByDomain,
      response: {
        200: SuccessMessage(
          'Deleted.',
          'application weather-station-k3v9q2 was deleted; you can restore it until 2026-11-28T04:00:00.000Z',
        ),
      },
      config: { role: 'owner' },
    }),
    async (request, reply) => {
      const application = await findApplication(applications, request);
      const { domain } = application;
      const before = settingsOf(application);
      const removed = await applications.remove(domain, request.owner.id, config.deletionGraceMs);
      if (!removed) throw applicationNotFound(domain);
      const { id, purgeAt } = removed;
      await Promise.all([
        audit.note(request, { action: 'application.deleted', application: domain, before }),
        announce(dependencies, id, purgeAt ? ['invalidations'] : ['invalidations', 'purges']),
      ]);
      const next = purgeAt
        ? `you can restore it until ${purgeAt.toISOString()}`
        : 'its entries are being purged';
      return success(reply, { message: `application ${domain} was deleted; ${next}` });
    },
  );

  app.post(
    '/applications/:domain/restore',
    operation('restoreApplication', 'Restore a deleted application', {
      description:
        'Its entries, keys and finished jobs are there again; jobs that the deletion cancelled stay cancelled. 404 once its purge has begun.',
      params: ByDomain,
      response: { 200: Success(ApplicationAnswer), ...overLimit },
      config: { role: 'owner' },
    }),
    async (request, reply) => {
      const { domain } = request.params;
      await quotas.check('applications', request.owner.id);
      const isRestored = await applications.restore(domain, request.owner.id);
      // A retry finds the application already restored.
      const application = await findApplication(applications, request);
      await store.webhooks.wakeOf([application.id]);
      const after = settingsOf(application);
      if (isRestored)
        await audit.note(request, { action: 'application.restored', application: domain, after });
      return sendOne(reply, application, request.owner.id);
    },
  );
};

/** Without look-alikes, as people read domains aloud and type them. */
const alphabet = 'abcdefghijkmnpqrstuvwxyz23456789';

/** `Weather Station` → `weather-station-k3v9q2`. */
export function makeDomain(name: string): string {
  const slug = slugify(name, { lower: true, strict: true })
    .slice(0, 40)
    .replace(/^-+|-+$/g, '');
  const suffix = Array.from({ length: 6 }, () => alphabet[randomInt(alphabet.length)]).join('');
  return `${slug || 'application'}-${suffix}`;
}
