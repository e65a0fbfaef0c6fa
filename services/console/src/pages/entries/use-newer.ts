import { useQuery } from '@tanstack/react-query';
import type { Schemas } from '../../api/client.ts';
import { countSince, type ListSelection } from './entries-query.ts';

const refreshMs = 5_000;

/** How many entries of the selection came after those of its first page, which was read at a time in ms. */
export function useNewer(
  domain: string,
  selection: ListSelection,
  page: Schemas['EntryPage'] | undefined,
  readAt: number,
  isOn: boolean,
): number {
  const newest = page?.result[0]?.createdAt;
  // Of one millisecond, the page may have left out some: those after it are new.
  const since = new Date(newest ? Date.parse(newest) + 1 : readAt).toISOString();
  const { data = 0 } = useQuery({
    queryKey: ['entries', domain, 'newer', selection, since],
    queryFn: ({ signal }) => countSince(domain, selection, since, signal),
    enabled: isOn && page !== undefined,
    refetchInterval: refreshMs,
  });
  return isOn ? data : 0;
}
