import { client } from '../../api/client.ts';
import { readEvents } from '../../api/read-events.ts';
import { parseExact } from '../../json/exact.ts';
import type { Entry } from './entries-query.ts';

const againAfterMs = 1_000;

export interface LiveHandlers {
  /** The events begin: what comes from now on is told. */
  onBegin: () => void;
  onEntry: (entry: Entry) => void;
  /** So many entries are left out. */
  onSkipped: (count: number) => void;
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Tells new entries of an application until the signal aborts it, or the API refuses it. A connection that ends is made again, without a gap. */
export async function followEntries(
  domain: string,
  { onBegin, onEntry, onSkipped }: LiveHandlers,
  signal: AbortSignal,
): Promise<void> {
  let lastId: string | undefined;

  function tell(event: string | undefined, data: string): void {
    if (event === 'entry') onEntry(parseExact(data) as Entry);
    if (event === 'skipped') onSkipped(JSON.parse(data).count);
  }

  /** False when the API refuses it. */
  async function read(): Promise<boolean> {
    const { data } = await client.GET('/api/applications/{domain}/data/live', {
      params: { path: { domain }, header: lastId ? { 'last-event-id': lastId } : {} },
      parseAs: 'stream',
      signal,
    });
    if (!data) return false;
    await readEvents(data, ({ id, event, data }) => {
      if (lastId === undefined) onBegin();
      lastId = id;
      tell(event, data);
    });
    return true;
  }

  while (!signal.aborted) {
    // What broke it is gone by the next time, or tells again.
    const isAllowed = await read().catch(() => true);
    if (!isAllowed) return;
    await pause(againAfterMs);
  }
}
