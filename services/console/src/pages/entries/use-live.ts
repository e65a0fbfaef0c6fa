import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { type Entry, entriesKey } from './entries-query.ts';
import { followEntries } from './follow-entries.ts';

/** Entries beyond are on older pages. */
const mostShown = 200;

const nothing = { entries: [] as Entry[], skipped: 0 };

/** What came since it is on, newest first; `skipped` counts what came too fast to be shown. */
export function useLive(domain: string, isOn: boolean) {
  const queryClient = useQueryClient();
  const [live, setLive] = useState(nothing);
  useEffect(() => {
    if (!isOn) return;
    const leaving = new AbortController();
    const handlers = {
      // What came before this is on the page, what comes later is told.
      onBegin: () => void queryClient.invalidateQueries({ queryKey: entriesKey(domain) }),
      onEntry: (entry: Entry) =>
        setLive((before) => ({
          ...before,
          entries: [entry, ...before.entries].slice(0, mostShown),
        })),
      onSkipped: (count: number) => setLive((before) => ({ ...before, skipped: before.skipped + count })),
    };
    void followEntries(domain, handlers, leaving.signal);
    return () => {
      leaving.abort();
      setLive(nothing);
    };
  }, [domain, isOn, queryClient]);
  return live;
}
