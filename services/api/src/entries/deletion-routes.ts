import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { DeletionQuery, Entry, EntryId } from '@sluice/shared/contracts/entries.ts';
import { Message, Success } from '@sluice/shared/contracts/envelope.ts';
import { Job, jobExamples } from '@sluice/shared/contracts/jobs.ts';
import { ApiError } from '@sluice/shared/errors.ts';
import type { ApplicationRecord } from '@sluice/store/applications/applications.ts';
import { toText } from '@sluice/store/entries/entry-filter.ts';
import type { DeletionJob, DeletionOptions } from '@sluice/store/jobs/job-records.ts';
import Type from 'typebox';
import { findApplication } from '../applications/find.ts';
import type { Dependencies } from '../dependencies.ts';
import { success } from '../http/envelope.ts';
import { toPeriod } from '../http/formats.ts';
import { ByDomain, overLimit, ownerRoutes } from '../http/route-parts.ts';
import { enqueueOrCancel } from '../jobs/enqueue.ts';
import { toJob } from '../jobs/to-job.ts';
import { toConditions } from './filter.ts';
import { toEntry } from './to-entry.ts';

const ById = Type.Object({ ...ByDomain.properties, id: EntryId });

const entryNotFound = (id: string) => new ApiError('ResourceNotFoundError', `entry ${id} was not found`);

/** The conditions as a job keeps them. Without any, each entry would match. */
function toFilter(text: string): string {
  const conditions = toConditions(text);
  if (conditions.length > 0) return toText(conditions);
  const message = '`filter` has no condition: name one, or leave `filter` out and name from or to';
  throw new ApiError('InvalidRequestError', message);
}

/** Commits a deletion to MongoDB, then puts its id on the queue; without the queue there is none. */
function createDeletion(dependencies: Pick<Dependencies, 'store' | 'queues' | 'quotas' | 'log'>) {
  const { store, quotas } = dependencies;
  return async (application: ApplicationRecord, options: DeletionOptions): Promise<DeletionJob> => {
    const owner = application.owner.id;
    await quotas.check('jobs', owner);
    const { id, domain } = application;
    const job = await store.jobs.create<'deletion'>({
      kind: 'deletion',
      application: id,
      owner,
      domain,
      options,
    });
    return enqueueOrCancel(dependencies, job, 'entries cannot be deleted');
  };
}

type Needs = 'store' | 'queues' | 'quotas' | 'audit' | 'log';

/** A single entry, and the deletion of entries. */
export const entryDeletionRoutes: FastifyPluginAsyncTypebox<Pick<Dependencies, Needs>> = async (
  app,
  dependencies,
) => {
  const { store, audit } = dependencies;
  const { applications, entries, deletions } = store;
  ownerRoutes(app, 'Entries');
  const makeDeletion = createDeletion(dependencies);

  app.get(
    '/applications/:domain/data/:id',
    {
      schema: {
        operationId: 'getEntry',
        summary: 'Get an entry',
        params: ById,
        response: { 200: Success(Entry) },
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      const application = await findApplication(applications, request);
      const entry = await entries.get(application.id, id);
      if (!entry) throw entryNotFound(id);
      return success(reply, toEntry(entry, application));
    },
  );

  app.delete(
    '/applications/:domain/data/:id',
    {
      schema: {
        operationId: 'deleteEntry',
        summary: 'Delete an entry',
        params: ById,
        response: {
          200: Success(Message, 'Deleted.', { message: 'entry 0192f0c1a2b30a0b0c0d00000001 was deleted' }),
        },
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      const application = await findApplication(applications, request);
      if (!(await deletions.removeOne(application.id, id))) throw entryNotFound(id);
      const details = { entry: id };
      await audit.note(request, { action: 'entry.deleted', application: application.domain, details });
      return success(reply, { message: `entry ${id} was deleted` });
    },
  );

  app.delete(
    '/applications/:domain/data',
    {
      schema: {
        operationId: 'deleteEntries',
        summary: 'Delete entries of a period, or those that match a filter',
        description:
          'Creates a deletion job. `from` is included, `to` is not; at least one of `from`, `to` and `filter` is needed. Entries that are uploaded later stay.',
        params: ByDomain,
        querystring: DeletionQuery,
        response: { 202: Success(Job, 'The job is waiting.', jobExamples.waiting('deletion')), ...overLimit },
      },
    },
    async (request, reply) => {
      const { query } = request;
      if (query.from === undefined && query.to === undefined && query.filter === undefined)
        throw new ApiError(
          'InvalidRequestError',
          'name what to delete: one of from, to and filter is needed',
        );
      const { from, to } = toPeriod(query);
      const filter = query.filter === undefined ? undefined : toFilter(query.filter);
      const application = await findApplication(applications, request);
      const now = new Date();
      const job = await makeDeletion(application, { from, to: to && to < now ? to : now, filter });
      await audit.note(request, { action: 'deletion.made', application: application.domain, job: job.id });
      return success(reply, toJob(job), 202);
    },
  );
};
