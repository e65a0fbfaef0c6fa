import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { client, type Schemas } from '../../api/client.ts';
import { RequestFailure } from '../../api/failure.ts';
import { exactDataOf, unshared } from '../../json/exact.ts';
import { boundsOf, type Last, type PickedPeriod } from './period.ts';
import { fromSort, type View } from './view.ts';

export type Entry = Schemas['Entry'];

/** What the toolbar selects: the list, exports and deletions are of it. */
export interface ListSelection extends PickedPeriod {
  last: Last;
  /** Of the API, as JSON. */
  filter?: string | undefined;
}

/** For the API, at this moment. */
export const toQuery = ({ filter, ...period }: ListSelection) => ({
  ...boundsOf(period, Date.now()),
  ...(filter && { filter }),
});

type PageQuery = ListSelection & Pick<View, 'order' | 'sort' | 'after' | 'start'>;

const perPage = 50;
/** For the panel of an entry. */
const meta = 'source,key,by';

/** The limit that the API names where entries are too large for a full page; 0 for other failures. */
const fittingIn = (failure: unknown) =>
  failure instanceof RequestFailure ? Number(/take limit=(\d+)/.exec(failure.message)?.[1] ?? 0) : 0;

async function readPage(
  domain: string,
  page: PageQuery,
  signal: AbortSignal,
  limit = perPage,
): Promise<Schemas['EntryPage']> {
  const { order, sort, after, start, ...selection } = page;
  const place = sort ? { sort: fromSort(sort), start } : { order, ...(after && { after }) };
  const query = { ...toQuery(selection), ...place, limit, meta };
  const init = { params: { path: { domain }, query }, parseAs: 'text', signal } as const;
  try {
    return await exactDataOf<Schemas['EntryPage']>(client.GET('/api/applications/{domain}/data', init));
  } catch (failure) {
    const fitting = fittingIn(failure);
    if (fitting === 0 || fitting >= limit) throw failure;
    return readPage(domain, page, signal, fitting);
  }
}

/** The page behind a cursor; without a cursor, the first one. */
export const entriesQuery = (domain: string, page: PageQuery) =>
  queryOptions({
    queryKey: ['entries', domain, 'page', page],
    queryFn: ({ signal }) => readPage(domain, page, signal),
    placeholderData: keepPreviousData,
    ...unshared,
  });

export const entryQuery = (domain: string, id: string) =>
  queryOptions({
    queryKey: ['entries', domain, 'one', id],
    queryFn: ({ signal }) => {
      const init = { params: { path: { domain, id }, query: { meta } }, parseAs: 'text', signal } as const;
      return exactDataOf<Entry>(client.GET('/api/applications/{domain}/data/{id}', init));
    },
    ...unshared,
  });

/** How many entries of the selection were stored since. */
export const countSince = async (
  domain: string,
  selection: ListSelection,
  from: string,
  signal: AbortSignal,
) => (await readPage(domain, { ...selection, from, order: 'newest', start: 0 }, signal, 1)).pagination.total;
