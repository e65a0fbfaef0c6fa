import { useEffect, useState } from 'react';
import { followLive, type LiveHandlers } from '../../api/follow-live.ts';
import { queryClient } from '../../api/query-client.ts';
import type { Entry } from './entries-query.ts';

/** Entries beyond are on older pages. */
const mostShown = 200;

const nothing = { entries: [] as Entry[], skipped: 0 };

/** The entries since `isOn`, newest first; `skipped` counts those that came too fast to be shown. */
export function useLive(domain: string, isOn: boolean) {
  const [live, setLive] = useState(nothing);
  useEffect(() => {
    if (!isOn) return;
    const leaving = new AbortController();
    const handlers: LiveHandlers = {
      // The page is read again for entries from before the first event.
      onBegin: () => void queryClient.invalidateQueries({ queryKey: ['entries', domain] }),
      onEntry: (entry) =>
        setLive(({ entries, skipped }) => ({ entries: [entry, ...entries].slice(0, mostShown), skipped })),
      onSkipped: (count) => setLive((before) => ({ ...before, skipped: before.skipped + count })),
    };
    void followLive(domain, handlers, leaving.signal);
    return () => {
      leaving.abort();
      setLive(nothing);
    };
  }, [domain, isOn]);
  return live;
}
