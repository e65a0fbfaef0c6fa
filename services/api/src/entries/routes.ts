import { entryIdBytes } from '@sluice/store/entries/entry-id.ts';
import type { ForwardEntries, ForwardPage } from '@sluice/store/entries/forward-entries.ts';
import { findApplication } from '../applications/steps.ts';
import type { Routes } from '../dependencies.ts';
import { Success, success } from '../http/answers.ts';
import { fromCursor, refuseTooMuch, toPage } from '../http/pages.ts';
import { ByDomain, operation, overLimit, ownerRoutes } from '../http/route-parts.ts';
import { toPeriod } from '../http/validation.ts';
import { pageBytes, weighPage } from '../limits/table.ts';
import { EntriesQuery, EntryPage } from './contract.ts';
import { toConditions } from './filter.ts';
import { toEntry } from './to-entry.ts';

/** Lists entries. A page counts towards its capacity until its answer has gone. */
export const entryRoutes: Routes = async (
  app,
  { store: { applications, entries }, capacity: { answers, pageReads } },
) => {
  ownerRoutes(app, 'Entries');

  const newestFirst = async (id: string, { after, ...page }: ForwardPage): Promise<ForwardEntries> => ({
    entries: await entries.page(id, { ...page, before: after }),
  });

  app.get(
    '/applications/:domain/data',
    operation('listEntries', 'List entries', {
      description:
        'Newest first, or oldest first to follow an application: repeat with the last `cursor` to get each entry once. ' +
        '`from` is included, `to` is not. With `after`, `start` counts from there. `total` is the exact number ' +
        'of entries that match. The answer is 400 if the filter takes longer than 5 s, or if the page has more than 16 MiB; ' +
        'then the message says how many entries fit.',
      params: ByDomain,
      querystring: EntriesQuery,
      response: { 200: Success(EntryPage), ...overLimit },
    }),
    async (request, reply) => {
      const { query, owner } = request;
      const { start = 0, limit = 100 } = query;
      const period = toPeriod(query);
      const filter = query.filter === undefined ? undefined : toConditions(query.filter);
      const after = query.after === undefined ? undefined : fromCursor(query.after, entryIdBytes);
      const application = await findApplication(applications, request);
      const { id } = application;
      const isIntact = !application.hasDeletions;
      const lease = answers.lease(reply, owner.id);
      lease.take(pageBytes);
      const onRead = (bytes: number) => lease.take(weighPage(bytes));
      const read = query.order === 'oldest' ? entries.forward : newestFirst;
      const [{ entries: found, end }, total] = await lease
        .during(() =>
          pageReads.runInFairOrder(owner.id, async () => {
            const reading = [
              read(id, { ...period, filter, isIntact, start, limit: limit + 1, after, onRead }),
              entries.count(id, { ...period, filter, isIntact }),
            ] as const;
            // If one fails, the other still uses a connection.
            await Promise.allSettled(reading);
            return Promise.all(reading);
          }),
        )
        .catch(refuseTooMuch('entries'));
      const { items, pagination } = toPage(found, { start, limit, total, end });
      return success(reply, { result: items.map((entry) => toEntry(entry, application)), pagination });
    },
  );
};
