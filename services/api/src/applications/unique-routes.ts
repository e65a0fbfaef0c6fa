import type { ApplicationRecord, Unique } from '@sluice/store/applications/applications.ts';
import { lastIdBefore } from '@sluice/store/entries/entry-id.ts';
import type { FastifyRequest } from 'fastify';
import Type from 'typebox';
import type { Dependencies, Routes } from '../dependencies.ts';
import { findApplication } from '../http/find-application.ts';
import { ByDomain, bearerRoutes, operation } from '../http/route-parts.ts';
import { Strict } from '../http/schemas.ts';
import { madeJob } from '../jobs/describe.ts';
import { enqueueOrSweep, queueAndSend } from '../jobs/steps.ts';
import { uniquePath } from './contract.ts';
import { checkUnique } from './steps.ts';

const UniqueCheckRequest = Strict('UniqueCheckRequest', { path: uniquePath });
const UniqueCheckQuery = Type.Object(
  {
    dry_run: Type.Literal('true', {
      description: 'Needed: nothing is changed. To store one entry for each value, change the application.',
    }),
  },
  { additionalProperties: false },
);

/** A replica knows of a change within a second. What it stores until then is read by the job too. */
const knownMs = 2_000;
const dayMs = 86_400_000;

/**
 * Gives stored entries the values of a member that has become unique, also those that other replicas store before they
 * know of it. Returns a warning that names the job, or none if the application is empty.
 */
export async function giveStoredValues(
  dependencies: Pick<Dependencies, 'store' | 'queues' | 'log' | 'audit'>,
  request: FastifyRequest,
  { id, domain, owner }: ApplicationRecord,
  { path, days }: Unique,
): Promise<string[]> {
  const { store, audit } = dependencies;
  const isEmpty = (await store.rawEntries.cut(id)).until === undefined;
  const since = days === undefined ? undefined : new Date(Date.now() - days * dayMs);
  const until = lastIdBefore(new Date(Date.now() + knownMs));
  const options = { path, until, gives: true as const, since };
  const job = await store.jobs.create<'unique'>({
    kind: 'unique',
    application: id,
    owner: owner.id,
    domain,
    options,
  });
  await enqueueOrSweep(dependencies, job);
  await audit.note(request, { action: 'unique.made', application: domain, job: job.id });
  if (isEmpty) return [];
  return [
    `the job ${job.id} gives stored entries their values of ${path}; until it is completed, such a value can be stored once more`,
  ];
}

/** Makes jobs that count what would have been repeated. Their other routes are in jobs/routes.ts. */
export const uniqueRoutes: Routes = async (app, dependencies) => {
  const { store, quotas } = dependencies;
  bearerRoutes(app, 'Applications', 'editor');

  app.post(
    '/applications/:domain/unique',
    operation('createUniqueCheck', 'Count entries that would have been repeated', {
      description:
        'Counts the stored entries whose value of a member an older entry has: with the same payload (`repeated`), or with another (`conflicting`). Changes nothing.',
      params: ByDomain,
      querystring: UniqueCheckQuery,
      body: UniqueCheckRequest,
      response: madeJob('unique'),
    }),
    async (request, reply) => {
      const { path } = request.body;
      const { id, domain, owner, rawSchema } = await findApplication(store.applications, request);
      checkUnique({ path }, rawSchema);
      await quotas.check('jobs', owner.id);
      const { until } = await store.rawEntries.cut(id);
      const fields = { application: id, owner: owner.id, domain, options: { path, until } };
      const job = await store.jobs.create<'unique'>({ kind: 'unique', ...fields });
      return queueAndSend(dependencies, request, reply, job, 'entries cannot be checked');
    },
  );
};
