import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { EntriesQuery, EntryPage } from '@sluice/shared/contracts/entries.ts';
import { Success } from '@sluice/shared/contracts/envelope.ts';
import { ApiError, applicationNotFound } from '@sluice/shared/errors.ts';
import type { ApplicationStore } from '@sluice/shared/store/applications.ts';
import type { EntryStore } from '@sluice/shared/store/entries.ts';
import { type EntryId, isEntryId } from '@sluice/shared/store/entry-id.ts';
import { success } from '../plugins/envelope.ts';
import { ByDomain, failures, security } from './common.ts';
import { toPeriod } from './period.ts';

interface Dependencies {
  applications: ApplicationStore;
  entries: EntryStore;
}

const toCursor = (id: EntryId) => Buffer.from(id, 'hex').toString('base64url');

function fromCursor(cursor: string): EntryId {
  const id = Buffer.from(cursor, 'base64url').toString('hex');
  if (!isEntryId(id) || toCursor(id) !== cursor) {
    const details = [
      { in: 'querystring' as const, path: '/after', keyword: 'cursor', message: 'is not a cursor' },
    ];
    throw new ApiError('InvalidRequestError', 'querystring/after is not a cursor of a page', { details });
  }
  return id;
}

/** Listing: newest first, by index or by cursor. */
export const entryRoutes: FastifyPluginAsyncTypebox<Dependencies> = async (
  app,
  { applications, entries },
) => {
  app.get(
    '/applications/:domain/data',
    {
      schema: {
        summary: 'List entries, newest first',
        description: '`from` is included, `to` is not. `start` counts from `after` where that is given.',
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
      const before = query.after === undefined ? undefined : fromCursor(query.after);
      const application = await applications.ofOwner(domain, owner.id);
      if (!application) throw applicationNotFound(domain);
      const [found, total] = await Promise.all([
        entries.page(application.id, { ...period, start, limit: limit + 1, before }),
        entries.count(application.id, period),
      ]);
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
