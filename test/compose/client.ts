import { randomBytes } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';

export interface Answer {
  status: number;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  body: any;
}

const schema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };

/** An owner with an application, seen from outside through the proxy. */
export async function createClient(url: string) {
  let token: string | undefined;

  /** A text goes out as it is, anything else as JSON. */
  async function call(
    method: string,
    path: string,
    content?: unknown,
    more?: Record<string, string>,
  ): Promise<Answer> {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        ...(token && { authorization: `Bearer ${token}` }),
        ...(content !== undefined && { 'content-type': 'application/json' }),
        ...more,
      },
      ...(content !== undefined && { body: typeof content === 'string' ? content : JSON.stringify(content) }),
      signal: AbortSignal.timeout(60_000),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json');
    return { status: response.status, text, body: isJson ? JSON.parse(text) : undefined };
  }

  const credentials = { username: `u${randomBytes(6).toString('hex')}`, password: 'correct horse' };
  const registered = await call('POST', '/users/register', { ...credentials, locale: 'en' });
  if (registered.status !== 200) throw new Error(registered.text);
  token = (await call('POST', '/users/login', credentials)).body.data.token;
  const application = { name: 'Compose', type: 'other', schema: JSON.stringify(schema) };
  const domain: string = (await call('POST', '/applications', application)).body.data.domain;
  const path = `/applications/${domain}`;

  return {
    call,
    path,
    domain,
    token: token as string,
    upload: (n: number, headers?: Record<string, string>) => call('POST', `${path}/data`, { n }, headers),
    /** The numbers of all entries, page by page. */
    async listed(): Promise<number[]> {
      const found: number[] = [];
      for (let start = 0; ; start += 1000) {
        const { body } = await call('GET', `${path}/data?start=${start}&limit=1000`);
        for (const { payload } of body.data.result) found.push(payload.n);
        if (body.data.pagination.isLast) return found;
      }
    },
    /** Rows of an export, without the header. */
    async exported(): Promise<string[]> {
      const { status, text } = await call('GET', `${path}/export`);
      if (status !== 200) throw new Error(text);
      return text.split('\r\n').slice(1, -1);
    },
  };
}

export type Client = Awaited<ReturnType<typeof createClient>>;

/** Uploads 0, 1, 2, … with keys over a few connections at once, until it is stopped. Each waits so long after an answer. */
export function startLoad({ upload }: Client, connections = 4, pauseMs = 0) {
  const stored: number[] = [];
  const failed: string[] = [];
  const progress = new EventEmitter();
  let next = 0;
  let stopped = false;

  async function work(): Promise<void> {
    while (!stopped) {
      const n = next++;
      const outcome = await upload(n, { 'idempotency-key': `${n}` }).catch((error: Error) => ({
        status: 0,
        text: `${error} ${error.cause}`,
      }));
      if (outcome.status === 201) stored.push(n);
      else failed.push(`${n}: ${outcome.status} ${outcome.text}`);
      progress.emit('upload');
      if (pauseMs > 0) await pause(pauseMs);
    }
  }
  const working = Promise.all(Array.from({ length: connections }, work));

  return {
    stored,
    failed,
    /** Resolves when this many more were stored; rejects when too many fail meanwhile, or after 60 s. */
    async goOn(more: number): Promise<void> {
      const enough = stored.length + more;
      const tooMany = failed.length + 1_000;
      const signal = AbortSignal.timeout(60_000);
      while (stored.length < enough) {
        await once(progress, 'upload', { signal });
        if (failed.length > tooMany) throw new Error(`uploads do not go on: ${failed.slice(-5).join('; ')}`);
      }
    },
    async stop(): Promise<void> {
      stopped = true;
      await working;
    },
  };
}
