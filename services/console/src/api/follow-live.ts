import { parseExact } from '../json/exact.ts';
import { client, type Schemas } from './client.ts';
import { readEvents } from './read-events.ts';

const againAfterMs = 1_000;

export interface LiveHandlers {
  /** The first event came: from now on nothing is missed. */
  onBegin: () => void;
  onEntry: (entry: Schemas['Entry']) => void;
  /** So many came too fast to be sent. */
  onSkipped: (count: number, of: 'entries' | 'refused') => void;
  onRefused?: (upload: Schemas['RefusedUpload']) => void;
}

/** Reports new uploads until the signal aborts or the API refuses. A broken connection resumes without a gap. */
export async function followLive(domain: string, handlers: LiveHandlers, signal: AbortSignal): Promise<void> {
  let lastId: string | undefined;

  /** False when the API refuses. */
  async function read(): Promise<boolean> {
    const { data: body } = await client.GET('/api/applications/{domain}/data/live', {
      params: {
        path: { domain },
        query: { refused: handlers.onRefused !== undefined, meta: 'source,key,by' },
        header: lastId ? { 'last-event-id': lastId } : {},
      },
      parseAs: 'stream',
      signal,
    });
    if (!body) return false;
    await readEvents(body, ({ id, event, data }) => {
      if (lastId === undefined) handlers.onBegin();
      lastId = id;
      if (event === 'entry') handlers.onEntry(parseExact(data) as Schemas['Entry']);
      if (event === 'refused') handlers.onRefused?.(parseExact(data) as Schemas['RefusedUpload']);
      if (event !== 'skipped') return;
      const { count, of } = JSON.parse(data);
      handlers.onSkipped(count, of);
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
