import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { EntriesQuery, EntryPage } from '@sluice/shared/contracts/entries.ts';
import { Success } from '@sluice/shared/contracts/envelope.ts';
import { ApiError, applicationNotFound } from '@sluice/shared/errors.ts';
import type { ApplicationStore } from '@sluice/shared/store/applications.ts';
import type { EntryStore } from '@sluice/shared/store/entries.ts';
import { type Condition, FilterTimeout } from '@sluice/shared/store/entry-filter.ts';
import { fromCursor, toCursor } from '../entries/cursor.ts';
import { readFilter } from '../entries/filter.ts';
import { success } from '../plugins/envelope.ts';
import { ByDomain, failures, security } from './common.ts';
import { toPeriod } from './period.ts';

interface Dependencies {
  applications: ApplicationStore;
  entries: EntryStore;
}

/** The conditions of `filter`; throws when it is not one. */
function toConditions(text: string): Condition[] {
  const filter = readFilter(text);
  if (filter.ok) return filter.conditions;
  const where = filter.details.slice(0, 5).map(({ path, message }) => `querystring${path} ${message}`);
  throw new ApiError('InvalidRequestError', where.join('; '), { details: filter.details });
}

function answerSlow(error: unknown): never {
  if (!(error instanceof FilterTimeout)) throw error;
  const message = `the filter took longer than ${error.limitMs / 1_000} s: narrow it with from and to`;
  throw new ApiError('InvalidRequestError', message, { cause: error });
}

/** Listing: newest first, by index or by cursor; all entries, a period, or those that a filter leaves. */
export const entryRoutes: FastifyPluginAsyncTypebox<Dependencies> = async (
  app,
  { applications, entries },
) => {
  app.get(
    '/applications/:domain/data',
    {
      schema: {
        summary: 'List entries, newest first',
        description:
          '`from` is included, `to` is not. `start` counts from `after` where that is given. `total` is exact: of all ' +
          'entries in the period that meet the filter. A filter that takes longer than 5 s is answered 400.',
        tags: ['Entries'],
        security,
        params: ByDomain,
        querystring: EntriesQuery,
        response: { 200: Success(EntryPage), ...failures },
      },
      onRequest: app.authenticate,
    },
    async ({ params: { domain }, query, owner }, reply) => {
      const { start = 0, limit = 100 } = query;
      const period = toPeriod(query);
      const filter = query.filter === undefined ? undefined : toConditions(query.filter);
      const before = query.after === undefined ? undefined : fromCursor(query.after);
      const application = await applications.ofOwner(domain, owner.id);
      if (!application) throw applicationNotFound(domain);
      const [found, total] = await Promise.all([
        entries.page(application.id, { ...period, filter, start, limit: limit + 1, before }),
        entries.count(application.id, { ...period, filter }),
      ]).catch(answerSlow);
      const isLast = found.length <= limit;
      const page = found.slice(0, limit);
      const last = page.at(-1);
      return success(reply, {
        result: page.map(({ payload, createdAt }) => ({
          domain,
          payload,
          createdAt: createdAt.toISOString(),
        })),
        pagination: {
          limit,
          current: start,
          previous: Math.max(start - limit, 0),
          next: isLast ? start : start + limit,
          total,
          isLast,
          ...(!isLast && last && { cursor: toCursor(last.id) }),
        },
      });
    },
  );
};
