import { ApiError } from '@sluice/shared/errors.ts';
import type { Period } from '@sluice/store/entries/entries.ts';
import { type Condition, toText } from '@sluice/store/entries/entry-filter.ts';
import { entryIdBytes } from '@sluice/store/entries/entry-id.ts';
import type { SenderMeta } from '@sluice/tables/columns.ts';
import Type from 'typebox';
import type { Routes } from '../dependencies.ts';
import { Success, SuccessMessage, success } from '../http/answers.ts';
import { toArchivedBefore } from '../http/archived-before.ts';
import { abortOnClose } from '../http/connections/connections.ts';
import { toConditions, withKey } from '../http/filter.ts';
import { findApplication } from '../http/find-application.ts';
import { toMeta } from '../http/meta.ts';
import { createReadPage, fromCursor, refuseTooMuch } from '../http/pages.ts';
import { notFound } from '../http/refusals.ts';
import { ByDomain, bearerRoutes, operation, overLimit, ownFailures } from '../http/route-parts.ts';
import { toPeriod } from '../http/validation.ts';
import { madeJob } from '../jobs/describe.ts';
import { queueAndSend } from '../jobs/steps.ts';
import {
  DeletionCount,
  DeletionQuery,
  DeletionRequest,
  EntriesQuery,
  EntryAnswer,
  EntryId,
  EntryPage,
  EntryQuery,
  toEntry,
} from './contract.ts';
import { createMatching } from './matching.ts';
import { readOfKey } from './read-of-key.ts';
import { toSort } from './to-sort.ts';

const ById = Type.Object({ ...ByDomain.properties, id: EntryId });

type Selection = Period & { filter: Condition[] | undefined };

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

export const entryRoutes: Routes = async (app, dependencies) => {
  const { store, quotas, capacity, audit } = dependencies;
  const { applications, entries, deletions, senders } = store;
  bearerRoutes(app, 'Entries');
  const readPage = createReadPage('entries', capacity);
  const matching = createMatching(dependencies);

  app.get(
    '/applications/:domain/data',
    operation('listEntries', 'List entries', {
      description:
        'Newest first, or oldest first to follow an application: repeat with the last `cursor` to get each entry once. ' +
        '`from` is included, `to` is not. With `after`, `start` counts from there. `total` is the exact number ' +
        'of entries that match, without those that are in an archive alone: see `archived_before`. The answer is 400 if the filter takes longer than 5 s where no query worker runs, or if the page has more than 16 MiB; ' +
        'then the message says how many entries fit. ' +
        'With `sort` a query worker answers, and the header `Sluice-As-Of` says up to when every entry is in the order.',
      params: ByDomain,
      querystring: EntriesQuery,
      response: { 200: Success(EntryPage), ...ownFailures('ServiceUnavailableError'), ...overLimit },
    }),
    async (request, reply) => {
      const { query, owner } = request;
      const period = toPeriod(query);
      const filter = query.filter === undefined ? undefined : toConditions(query.filter);
      const after = query.after === undefined ? undefined : fromCursor(query.after, entryIdBytes);
      const meta = toMeta<SenderMeta>(query.meta);
      const sort = toSort(query);
      const application = await findApplication(applications, request);
      const { id } = application;
      const selection = { ...period, isIntact: !application.hasDeletions };
      const { key, order = 'newest' } = query;
      const wanted = { application, owner: owner.id, gone: abortOnClose(reply) };
      const { items, pagination } = await readPage(reply, owner.id, { ...query, after }, (page) =>
        readOfKey(
          () => withKey(senders, id, filter, key),
          async (filter) => {
            if (!sort) return matching.page(wanted, order, { ...selection, ...page, filter });
            const { asOf, ...sorted } = await matching.sorted(wanted, { ...period, ...page, filter }, sort);
            if (asOf) reply.header('sluice-as-of', asOf);
            return sorted;
          },
        ),
      );
      const senderOf = await senders.textsOf(id, items, meta);
      const result = items.map((entry) => toEntry(entry, application, senderOf(entry)));
      return success(reply, { result, pagination, ...toArchivedBefore(application) });
    },
  );

  app.get(
    '/applications/:domain/data/:id',
    operation('getEntry', 'Get an entry', {
      params: ById,
      querystring: EntryQuery,
      response: { 200: Success(EntryAnswer) },
    }),
    async (request, reply) => {
      const { id } = request.params;
      const meta = toMeta<SenderMeta>(request.query.meta);
      const application = await findApplication(applications, request);
      const entry = await entries.get(application.id, id);
      if (!entry) throw notFound('entry', id);
      const senderOf = await senders.textsOf(application.id, [entry], meta);
      return success(reply, toEntry(entry, application, senderOf(entry)));
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
      if (!(await deletions.removeOne(application.id, id))) throw notFound('entry', id);
      const details = { entry: id };
      await audit.note(request, { action: 'entry.deleted', application: application.domain, details });
      return success(reply, { message: `entry ${id} was deleted` });
    },
  );

  app.post(
    '/applications/:domain/deletions',
    operation('createDeletion', 'Delete entries of a period, or those that match a filter', {
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
      config: { textOf: 'filter' },
    }),
    async (request, reply) => {
      const { body, owner, query } = request;
      const selection = toSelection(body);
      const application = await findApplication(applications, request);
      const { id, domain, hasDeletions } = application;
      if (query.dry_run) {
        const wanted = { application, owner: owner.id, gone: abortOnClose(reply) };
        const count = await matching
          .count(wanted, { ...selection, isIntact: !hasDeletions })
          .catch(refuseTooMuch('entries'));
        return success(reply, { count });
      }
      await quotas.check('jobs', application.owner.id);
      const options = { ...selection, filter: selection.filter && toText(selection.filter) };
      const fields = { application: id, owner: application.owner.id, domain, options };
      const job = await store.jobs.create<'deletion'>({ kind: 'deletion', ...fields });
      return queueAndSend(dependencies, request, reply, job, 'entries cannot be deleted');
    },
  );
};
