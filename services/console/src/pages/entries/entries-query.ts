import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { client, type Schemas } from '../../api/client.ts';
import { exactDataOf, unshared } from '../../json/exact.ts';

export type Entry = Schemas['Entry'];

/** ISO 8601; a bound that is absent is open. */
export interface Period {
  from?: string | undefined;
  to?: string | undefined;
}

export interface Selection extends Period {
  /** JSON; absent: all entries. */
  filter?: string | undefined;
}

const perPage = 50;

/** Of an application, for what changes its entries. */
export const entriesKey = (domain: string) => ['entries', domain];

/** The page behind a cursor; without one, the newest entries. */
export const entriesQuery = (domain: string, selection: Selection, after: string | undefined) =>
  queryOptions({
    queryKey: [...entriesKey(domain), selection, after],
    queryFn: ({ signal }) =>
      exactDataOf<Schemas['EntryPage']>(
        client.GET('/api/applications/{domain}/data', {
          params: { path: { domain }, query: { ...selection, after, limit: perPage } },
          parseAs: 'text',
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
    ...unshared,
  });
