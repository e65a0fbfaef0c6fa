import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { EntriesQuery, EntryPage } from '@sluice/shared/contracts/entries.ts';
import { Success } from '@sluice/shared/contracts/envelope.ts';
import { ApiError, applicationNotFound } from '@sluice/shared/errors.ts';
import type { ApplicationStore } from '@sluice/shared/store/applications.ts';
import type { EntryKey, EntryStore } from '@sluice/shared/store/entries.ts';
import { success } from '../plugins/envelope.ts';
import { ByDomain, failures, security } from './common.ts';
import { toPeriod } from './period.ts';

interface Dependencies {
  applications: ApplicationStore;
  entries: EntryStore;
}

const toCursor = ({ createdAt, id }: EntryKey) =>
  Buffer.from(`${createdAt.getTime()}.${id}`).toString('base64url');

function fromCursor(cursor: string): EntryKey {
  const match = /^(\d{1,15})\.([0-9a-f]{24})$/.exec(Buffer.from(cursor, 'base64url').toString('latin1'));
  if (!match) {
    const details = [
      { in: 'querystring' as const, path: '/after', keyword: 'cursor', message: 'is not a cursor' },
    ];
    throw new ApiError('InvalidRequestError', 'querystring/after is not a cursor of a page', { details });
  }
  return { createdAt: new Date(Number(match[1])), id: match[2] as string };
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
      const after = query.after === undefined ? undefined : fromCursor(query.after);
      const application = await applications.ofOwner(domain, owner.id);
      if (!application) throw applicationNotFound(domain);
      const [found, total] = await Promise.all([
        entries.page(application.id, { ...period, start, limit: limit + 1, after }),
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
          ...(!isLast && last && { cursor: toCursor(last) }),
        },
      });
    },
  );
};
