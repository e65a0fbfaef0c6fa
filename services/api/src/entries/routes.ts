import { entryIdBytes } from '@sluice/store/entries/entry-id.ts';
import type { ForwardEntries, ForwardPage } from '@sluice/store/entries/forward-entries.ts';
import { findApplication } from '../applications/steps.ts';
import type { Routes } from '../dependencies.ts';
import { Success, success } from '../http/answers.ts';
import { createReadPage, fromCursor } from '../http/pages.ts';
import { ByDomain, operation, overLimit, ownerRoutes } from '../http/route-parts.ts';
import { toPeriod } from '../http/validation.ts';
import { EntriesQuery, EntryPage } from './contract.ts';
import { toConditions } from './filter.ts';
import { toEntry } from './to-entry.ts';

export const entryRoutes: Routes = async (app, { store: { applications, entries }, capacity }) => {
  ownerRoutes(app, 'Entries');
  const readPage = createReadPage('entries', capacity);

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
      const period = toPeriod(query);
      const filter = query.filter === undefined ? undefined : toConditions(query.filter);
      const after = query.after === undefined ? undefined : fromCursor(query.after, entryIdBytes);
      const application = await findApplication(applications, request);
      const { id } = application;
      const selection = { ...period, filter, isIntact: !application.hasDeletions };
      const read = query.order === 'oldest' ? entries.forward : newestFirst;
      const { items, pagination } = await readPage(reply, owner.id, { ...query, after }, async (page) => {
        const reading = [read(id, { ...selection, ...page }), entries.count(id, selection)] as const;
        // If one fails, the other still uses a connection.
        await Promise.allSettled(reading);
        const [{ entries: found, end }, total] = await Promise.all(reading);
        return { found, end, total };
      });
      return success(reply, { result: items.map((entry) => toEntry(entry, application)), pagination });
    },
  );
};
