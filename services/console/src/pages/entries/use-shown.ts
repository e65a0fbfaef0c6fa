import { useState } from 'react';
import type { Schemas } from '../../api/client.ts';
import type { Entry } from './entries-query.ts';
import type { useLive } from './use-live.ts';
import type { View } from './view.ts';

/** The page of entries with those that came live, without those that were deleted here. */
export function useShown(
  data: Schemas['EntryPage'] | undefined,
  live: ReturnType<typeof useLive>,
  view: Pick<View, 'order' | 'sort'>,
) {
  const [deleted, setDeleted] = useState<string[]>([]);
  if (!data) return { entries: undefined, total: 0, setDeleted };
  const listed = new Set(data.result.map(({ id }) => id));
  const [lower, higher] = view.order === 'newest' ? [1, -1] : [-1, 1];
  const found = [...live.entries.filter(({ id }) => !listed.has(id)), ...data.result].filter(
    ({ id }) => !deleted.includes(id),
  );
  const entries = view.sort ? found : found.toSorted((a, b) => (a.id < b.id ? lower : higher));
  // The total is as old as the page: live entries count on top.
  const isNewer = ({ id }: Entry) => id > (data.result[0]?.id ?? '');
  return { entries, total: data.pagination.total + live.entries.filter(isNewer).length, setDeleted };
}
