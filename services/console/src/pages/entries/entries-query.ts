import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { client, type Schemas } from '../../api/client.ts';
import { ApiFailure } from '../../api/failure.ts';
import { exactDataOf, unshared } from '../../json/exact.ts';

export type Entry = Schemas['Entry'];

/** ISO 8601; a bound that is absent is open. */
export interface Period {
  from?: string | undefined;
  to?: string | undefined;
}

export interface Selection extends Period {
  filter?: string | undefined;
}

const perPage = 50;

/** The limit that the API names where entries are too large for a full page; 0 for other failures. */
const fittingIn = (failure: unknown) =>
  failure instanceof ApiFailure ? Number(/take limit=(\d+)/.exec(failure.message)?.[1] ?? 0) : 0;

async function readPage(
  domain: string,
  selection: Selection & { after: string | undefined },
  signal: AbortSignal,
  limit = perPage,
): Promise<Schemas['EntryPage']> {
  try {
    return await exactDataOf<Schemas['EntryPage']>(
      client.GET('/api/applications/{domain}/data', {
        params: { path: { domain }, query: { ...selection, limit } },
        parseAs: 'text',
        signal,
      }),
    );
  } catch (failure) {
    const fitting = fittingIn(failure);
    if (fitting === 0 || fitting >= limit) throw failure;
    return readPage(domain, selection, signal, fitting);
  }
}

/** The page behind a cursor; without a cursor, the newest entries. */
export const entriesQuery = (domain: string, selection: Selection, after: string | undefined) =>
  queryOptions({
    queryKey: ['entries', domain, selection, after],
    queryFn: ({ signal }) => readPage(domain, { ...selection, after }, signal),
    placeholderData: keepPreviousData,
    ...unshared,
  });
