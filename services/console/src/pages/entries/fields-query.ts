import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { client, type Schemas } from '../../api/client.ts';
import { exactDataOf, unshared } from '../../json/exact.ts';
import { type ListSelection, toQuery } from './entries-query.ts';

/** A field over all entries of a selection. */
export type FieldFacts = Schemas['Field'];

const freshMs = 30_000;

/** What the fields of the selected entries hold. A query worker knows it. */
export const fieldsQuery = (domain: string, selection: ListSelection) =>
  queryOptions({
    queryKey: ['entries', domain, 'fields', selection],
    queryFn: ({ signal }) => {
      const init = {
        params: { path: { domain }, query: toQuery(selection) },
        parseAs: 'text',
        signal,
      } as const;
      return exactDataOf<FieldFacts[]>(client.GET('/api/applications/{domain}/fields', init));
    },
    staleTime: freshMs,
    placeholderData: keepPreviousData,
    ...unshared,
  });
