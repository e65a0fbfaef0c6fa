import { onTestFinished } from 'vitest';

export interface LiveEvent {
  event: string;
  id: string;
  // biome-ignore lint/suspicious/noExplicitAny: data of every shape
  data: any;
}

export interface FollowOptions {
  token: string;
  domain: string;
  refused?: boolean;
  /** More of the query, such as `key=…`. */
  query?: string | undefined;
  lastEventId?: string | undefined;
}

function toEvent(text: string): LiveEvent {
  const fields = Object.fromEntries(
    text.split('\n').map((line) => line.split(/: (.*)/s) as [string, string]),
  );
  return { event: fields.event as string, id: fields.id as string, data: JSON.parse(fields.data as string) };
}

/** Follows an application once its events begin; `events` grows. Rejects with the status of a refusal. */
export async function follow(
  url: string,
  { token, domain, refused, query = '', lastEventId }: FollowOptions,
) {
  const abort = new AbortController();
  onTestFinished(() => abort.abort());
  const response = await fetch(
    `${url}/api/applications/${domain}/data/live?refused=${refused ?? false}&${query}`,
    {
      headers: { authorization: `Bearer ${token}`, ...(lastEventId && { 'last-event-id': lastEventId }) },
      signal: abort.signal,
    },
  );
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
  const events: LiveEvent[] = [];

  async function read(): Promise<void> {
    let rest = '';
    const texts = (response.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream());
    for await (const text of texts) {
      const whole = (rest + text).split('\n\n');
      rest = whole.pop() as string;
      events.push(...whole.map(toEvent));
    }
  }
  const ended = read();
  // Most tests leave, which breaks it off.
  ended.catch(() => {});
  const named = (name: string) => events.filter(({ event }) => event === name).map(({ data }) => data);
  return {
    headers: response.headers,
    events,
    entries: () => named('entry'),
    refused: () => named('refused'),
    skipped: (of: 'entries' | 'refused') =>
      named('skipped').reduce((sum, data) => sum + (data.of === of ? data.count : 0), 0),
    lastId: () => events.at(-1)?.id,
    leave: () => abort.abort(),
    /** Resolves when the server has ended the stream; rejects when it breaks off. */
    ended,
  };
}

export type Following = Awaited<ReturnType<typeof follow>>;
