import { useEffect, useState } from 'react';
import { client, dataOf, type Schemas } from '../../api/client.ts';
import { followLive, type LiveHandlers } from '../../api/follow-live.ts';

export interface SentUpload {
  id: string;
  at: string;
  payload: unknown;
  /** Why it was refused. */
  faults?: Pick<Schemas['ErrorDetail'], 'path' | 'message'>[];
}

/** Earlier ones leave the list. */
const mostShown = 10;

const nothing = { uploads: [] as SentUpload[], stored: 0, refused: 0 };

async function hasEntries(domain: string): Promise<boolean> {
  const params = { path: { domain }, query: { limit: 1 } };
  const { result } = await dataOf(client.GET('/api/applications/{domain}/data', { params }));
  return result.length > 0;
}

/** The uploads since the page was opened, newest first, and whether there were entries before. */
export function useUploads(domain: string, withRefused: boolean) {
  const [seen, setSeen] = useState(nothing);
  const [before, setBefore] = useState<boolean>();
  const [error, setError] = useState<Error>();
  useEffect(() => {
    const leaving = new AbortController();
    const add = (upload: SentUpload) =>
      setSeen(({ uploads, stored, refused }) => ({
        uploads: [upload, ...uploads].slice(0, mostShown),
        stored: stored + (upload.faults ? 0 : 1),
        refused: refused + (upload.faults ? 1 : 0),
      }));
    const handlers: LiveHandlers = {
      // Later uploads are followed, so none is missed between.
      onBegin: () => void hasEntries(domain).then(setBefore, setError),
      onEntry: ({ id, createdAt, payload }) => add({ id, at: createdAt, payload }),
      onSkipped: (count, of) =>
        setSeen((each) => ({
          ...each,
          ...(of === 'refused' ? { refused: each.refused + count } : { stored: each.stored + count }),
        })),
      ...(withRefused && {
        onRefused: ({ id, received_at, payload, error: { details, message } }) =>
          add({
            id,
            at: received_at,
            payload,
            faults: details.length > 0 ? details : [{ path: '', message }],
          }),
      }),
    };
    void followLive(domain, handlers, leaving.signal);
    return () => {
      leaving.abort();
      setSeen(nothing);
    };
  }, [domain, withRefused]);
  return { ...seen, before, error };
}
