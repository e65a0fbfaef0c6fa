import { ApiError } from '@sluice/shared/errors.ts';
import type { Period } from '@sluice/store/entries/entries.ts';
import { type Condition, toText } from '@sluice/store/entries/entry-filter.ts';
import Type from 'typebox';
import { findApplication } from '../applications/steps.ts';
import type { Routes } from '../dependencies.ts';
import { Success, SuccessMessage, success } from '../http/answers.ts';
import { refuseTooMuch } from '../http/pages.ts';
import { ByDomain, operation, ownerRoutes } from '../http/route-parts.ts';
import { toPeriod } from '../http/validation.ts';
import { madeJob } from '../jobs/describe.ts';
import { enqueueOrCancel, sendMade } from '../jobs/steps.ts';
import { DeletionCount, DeletionQuery, DeletionRequest, Entry, EntryId } from './contract.ts';
import { toConditions } from './filter.ts';
import { toEntry } from './to-entry.ts';

const ById = Type.Object({ ...ByDomain.properties, id: EntryId });

type Selection = Period & { filter: Condition[] | undefined };

const entryNotFound = (id: string) => new ApiError('ResourceNotFoundError', `entry ${id} was not found`);

/** What a deletion selects: nothing that is uploaded later. Throws ApiError if it selects nothing, or has no condition. */
function toSelection({ filter: text, ...asked }: DeletionRequest): Selection {
  if (asked.from === undefined && asked.to === undefined && text === undefined)
    throw new ApiError('InvalidRequestError', 'name what to delete: one of from, to and filter is needed');
  const { from, to } = toPeriod(asked);
  const now = new Date();
  const filter = text === undefined ? undefined : toConditions(text, 'body');
  if (filter?.length === 0) {
    const message = '`filter` has no condition: name one, or leave `filter` out and name from or to';
    const details = [{ in: 'body' as const, path: '/filter', keyword: 'filter', message }];
    throw new ApiError('InvalidRequestError', message, { details });
  }
  return { from, to: to && to < now ? to : now, filter };
}

/** Get or delete an entry, and delete many. */
export const entryDeletionRoutes: Routes = async (app, dependencies) => {
  const { store, quotas, capacity, audit } = dependencies;
  const { applications, entries, deletions } = store;
  ownerRoutes(app, 'Entries');

  app.get(
    '/applications/:domain/data/:id',
    operation('getEntry', 'Get an entry', {
      params: ById,
      response: { 200: Success(Entry) },
    }),
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
    operation('deleteEntry', 'Delete an entry', {
      params: ById,
      response: {
        200: SuccessMessage('Deleted.', 'entry 0192f0c1a2b30a0b0c0d00000001 was deleted'),
      },
    }),
    async (request, reply) => {
      const { id } = request.params;
      const application = await findApplication(applications, request);
      if (!(await deletions.removeOne(application.id, id))) throw entryNotFound(id);
      const details = { entry: id };
      await audit.note(request, { action: 'entry.deleted', application: application.domain, details });
      return success(reply, { message: `entry ${id} was deleted` });
    },
  );

  app.post(
    '/applications/:domain/deletions',
    {
      config: { textOf: 'filter' },
      ...operation('createDeletion', 'Delete entries of a period, or those that match a filter', {
        description:
          'Creates a deletion job. `from` is included, `to` is not; at least one of `from`, `to` and `filter` is needed. Entries that are uploaded later stay. ' +
          'With `dry_run=true` nothing is deleted: the answer counts the entries that match.',
        params: ByDomain,
        querystring: DeletionQuery,
        body: DeletionRequest,
        response: {
          200: Success(DeletionCount, 'With `dry_run=true`: how many entries match.'),
          ...madeJob('deletion'),
        },
      }),
    },
    async (request, reply) => {
      const { body, owner, query } = request;
      const selection = toSelection(body);
      const application = await findApplication(applications, request);
      const { id, domain, hasDeletions } = application;
      if (query.dry_run) {
        const count = await capacity.pageReads
          .runInFairOrder(owner.id, () => entries.count(id, { ...selection, isIntact: !hasDeletions }))
          .catch(refuseTooMuch('entries'));
        return success(reply, { count });
      }
      await quotas.check('jobs', owner.id);
      const options = { ...selection, filter: selection.filter && toText(selection.filter) };
      const fields = { application: id, owner: application.owner.id, domain, options };
      const job = await store.jobs.create<'deletion'>({ kind: 'deletion', ...fields });
      return sendMade(
        audit,
        request,
        reply,
        await enqueueOrCancel(dependencies, job, 'entries cannot be deleted'),
      );
    },
  );
};
