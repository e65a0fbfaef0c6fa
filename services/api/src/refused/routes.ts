import { wholeMinutes } from '@sluice/store/refused/refusal-counts.ts';
import type { KeptReason } from '@sluice/store/refused/refused.ts';
import type { Reason } from '@sluice/store/refused/refused-records.ts';
import Type, { type Static } from 'typebox';
import type { Routes } from '../dependencies.ts';
import { Success, SuccessMessage, sendJson, success } from '../http/answers.ts';
import { findApplication } from '../http/find-application.ts';
import { createReadPage, fromCursor } from '../http/pages.ts';
import { ByDomain, bearerRoutes, operation, overLimit } from '../http/route-parts.ts';
import { toPeriod } from '../http/validation.ts';
import {
  RefusedGroupAnswer,
  RefusedGroupsQuery,
  RefusedGroupUpdate,
  RefusedPage,
  RefusedQuery,
  RefusedSelectionQuery,
  RefusedValues,
} from './contract.ts';
import { readValues } from './read-values.ts';
import { toGroupJson, toJson } from './to-json.ts';

const idBytes = 12;
const mostGroups = 100;
const mostRead = 1_000;
const mostReadBytes = 4 * 1024 ** 2;
const hourMs = 3_600_000;
const hours = 24;

const never = new Date(0);

/** The begin of the first of the last hours. */
const firstHourOf = (now: Date) => new Date((Math.floor(now.getTime() / hourMs) - hours + 1) * hourMs);

function toLastDay(counts: { at: Date; count: number }[], firstHour: Date): number[] {
  const byHour = new Map(
    counts.map(({ at, count }) => [(at.getTime() - firstHour.getTime()) / hourMs, count]),
  );
  return Array.from({ length: hours }, (_, hour) => byHour.get(hour) ?? 0);
}

const mostFrequent = (reasons: KeptReason[]) =>
  reasons
    .toSorted((a, b) => b.kept - a.kept)
    .slice(0, mostGroups)
    .map((reason) => ({ ...reason, count: reason.kept }));

const finderOf =
  <Found extends Reason>(reasons: Found[]) =>
  (reason: Reason) =>
    reasons.find(
      ({ path, keyword, property }) =>
        path === reason.path && keyword === reason.keyword && property === reason.property,
    );

const toSelection = ({
  reason,
  path,
  keyword,
  property,
  key,
  ...query
}: Static<typeof RefusedSelectionQuery>) => ({
  reason,
  path,
  keyword,
  property,
  key,
  ...toPeriod(query),
});

/** Refused uploads that are kept: list, count by reason and value, dismiss, delete. */
export const refusedRoutes: Routes = async (app, dependencies) => {
  const { store, capacity, audit } = dependencies;
  const { applications, refused, refusalCounts } = store;
  bearerRoutes(app, 'Refused uploads', 'editor');
  const readPage = createReadPage('uploads', capacity);
  const path = '/applications/:domain/refused';

  app.get(
    path,
    operation('listRefused', 'List refused uploads', {
      description:
        'Newest first. If very many are refused, only some are kept: see the groups for exact counts. With `after`, `start` counts from there. A page has at most 16 MiB.',
      params: ByDomain,
      querystring: RefusedQuery,
      response: { 200: Success(RefusedPage), ...overLimit },
    }),
    async (request, reply) => {
      const { query, owner } = request;
      const selection = toSelection(query);
      const after = query.after === undefined ? undefined : fromCursor(query.after, idBytes);
      const { id } = await findApplication(applications, request);
      const { items, pagination } = await readPage(reply, owner.id, { ...query, after }, (page) =>
        capacity.pageReads.runInFairOrder(owner.id, async () => ({
          found: await refused.page(id, selection, page),
          total: await refused.count(id, selection),
        })),
      );
      const list = items.map(toJson).join(',');
      return sendJson(reply, `{"result":[${list}],"pagination":${JSON.stringify(pagination)}}`);
    },
  );

  app.get(
    `${path}/groups`,
    operation('groupRefused', 'Count refused uploads by reason', {
      description: `The ${mostGroups} most frequent reasons, by the first thing that was wrong. The counts are exact, by whole minutes. With \`key\`, only what is kept is counted.`,
      params: ByDomain,
      querystring: RefusedGroupsQuery,
      response: { 200: Success(Type.Array(RefusedGroupAnswer)), ...overLimit },
    }),
    async (request, reply) => {
      const { key, ...query } = request.query;
      const period = wholeMinutes(toPeriod(query));
      const { id, dismissed = [] } = await findApplication(applications, request);
      const groups = await capacity.pageReads.runInFairOrder(request.owner.id, async () => {
        const kept = await refused.kept(id, { ...period, key });
        const firstHour = firstHourOf(new Date());
        const counts =
          key === undefined
            ? await refusalCounts.totals(id, period, mostGroups, firstHour)
            : mostFrequent(kept);
        const of = finderOf(kept);
        const dismissal = finderOf(dismissed);
        const newest = counts.flatMap((reason) => of(reason)?.newest ?? []);
        const found = await refused.byIds(id, newest);
        const examples = new Map(found.map((record) => [record.id, record]));
        return counts.map((reason) => {
          const known = of(reason);
          const state = {
            kept: known?.kept ?? 0,
            dismissed: reason.lastAt <= (dismissal(reason)?.at ?? never),
            ...('hours' in reason && { last_day: toLastDay(reason.hours, firstHour) }),
          };
          return toGroupJson(reason, state, known && examples.get(known.newest));
        });
      });
      return sendJson(reply, `[${groups.join(',')}]`);
    },
  );

  app.get(
    `${path}/values`,
    operation('getRefusedValues', 'Count the values of refused uploads', {
      description: `What refused uploads have at \`path\`, in the member \`property\` if there is one, and who sent them. The newest ${mostRead.toLocaleString('en')} are read, at most 4 MiB.`,
      params: ByDomain,
      querystring: RefusedSelectionQuery,
      response: { 200: Success(RefusedValues), ...overLimit },
    }),
    async (request, reply) => {
      const { query, owner } = request;
      const { id } = await findApplication(applications, request);
      const read = () =>
        readValues(refused.newest(id, toSelection(query), { limit: mostRead, bytes: mostReadBytes }), query);
      return sendJson(reply, await capacity.pageReads.runInFairOrder(owner.id, read));
    },
  );

  app.patch(
    `${path}/groups`,
    operation('updateRefusedGroup', 'Dismiss a group of refused uploads', {
      description:
        'A dismissed group is open again once something of it is refused. Its uploads stay, and can be replayed.',
      params: ByDomain,
      body: RefusedGroupUpdate,
      response: { 200: SuccessMessage('Changed.', 'the group was dismissed') },
    }),
    async (request, reply) => {
      const { dismissed, property, ...rest } = request.body;
      const reason = { ...rest, ...(property && { property }) };
      const { id, domain } = await findApplication(applications, request);
      await applications.dismiss(id, reason, dismissed ? new Date() : undefined);
      const action = dismissed ? 'refused.dismissed' : 'refused.reopened';
      await audit.note(request, { action, application: domain, details: reason });
      return success(reply, { message: dismissed ? 'the group was dismissed' : 'the group is open again' });
    },
  );

  app.delete(
    path,
    operation('deleteRefused', 'Delete refused uploads', {
      description: 'Deletes what is kept; the counts stay.',
      params: ByDomain,
      querystring: RefusedSelectionQuery,
      response: { 200: SuccessMessage('Deleted.', '2 refused uploads were deleted') },
    }),
    async (request, reply) => {
      const selection = toSelection(request.query);
      const { id, domain } = await findApplication(applications, request);
      const removed = await refused.remove(id, selection);
      const details = { ...request.query, removed };
      await audit.note(request, { action: 'refused.deleted', application: domain, details });
      const message =
        removed === 1 ? '1 refused upload was deleted' : `${removed} refused uploads were deleted`;
      return success(reply, { message });
    },
  );
};
