import { useEffect, useState } from 'react';
import { client } from '../../api/client.ts';
import { queryClient } from '../../api/query-client.ts';
import { readEvents } from '../../api/read-events.ts';
import { parseExact } from '../../json/exact.ts';
import type { Entry } from './entries-query.ts';

const againAfterMs = 1_000;

interface LiveHandlers {
  /** The first event came: from now on no entry is missed. */
  onBegin: () => void;
  onEntry: (entry: Entry) => void;
  /** So many entries came too fast to be sent. */
  onSkipped: (count: number) => void;
}

/** Reports new entries until the signal aborts or the API refuses. A broken connection resumes without a gap. */
async function followEntries(domain: string, handlers: LiveHandlers, signal: AbortSignal): Promise<void> {
  let lastId: string | undefined;

  /** False when the API refuses. */
  async function read(): Promise<boolean> {
    const { data: body } = await client.GET('/api/applications/{domain}/data/live', {
      params: { path: { domain }, header: lastId ? { 'last-event-id': lastId } : {} },
      parseAs: 'stream',
      signal,
    });
    if (!body) return false;
    await readEvents(body, ({ id, event, data }) => {
      if (lastId === undefined) handlers.onBegin();
      lastId = id;
      if (event === 'entry') handlers.onEntry(parseExact(data) as Entry);
      if (event === 'skipped') handlers.onSkipped(JSON.parse(data).count);
    });
    return true;
  }

  while (!signal.aborted) {
    // A break is tried again: its cause is gone by then, or breaks the next try.
    const isAllowed = await read().catch(() => true);
    if (!isAllowed) return;
    await new Promise((resolve) => setTimeout(resolve, againAfterMs));
  }
}

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
    void followEntries(domain, handlers, leaving.signal);
    return () => {
      leaving.abort();
      setLive(nothing);
    };
  }, [domain, isOn]);
  return live;
}
