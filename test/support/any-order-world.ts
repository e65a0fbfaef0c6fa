import fc from 'fast-check';
import { expect } from 'vitest';
import type { createApiProcess } from './api-process.ts';
import { importClient } from './import-client.ts';
import { createReceiver } from './receiver.ts';
import { refusedClient } from './refused-client.ts';
import { type Answer, call, type Sluice, until } from './sluice.ts';

const singles = 6;
const batches = 3;
const linesOfBatch = 3;

const via = fc.nat(1);
/** Without a key, or with one of two. */
const sender = fc.nat(2);
/** A step of one client or owner. */
export const step = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      what: fc.constant('upload' as const),
      key: fc.nat(singles - 1),
      /** Seldom another payload comes with a key. */
      variant: fc.constantFrom(0, 0, 0, 1),
      via,
      sender,
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ what: fc.constant('batch' as const), key: fc.nat(batches - 1), via, sender }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      what: fc.constant('publish' as const),
      type: fc.constantFrom('number', 'string', ['number', 'string']),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      what: fc.constant('replay' as const),
      to: fc.constantFrom(undefined, 'string', 'number'),
    }),
  },
  { weight: 2, arbitrary: fc.record({ what: fc.constant('delete' as const), place: fc.nat(999) }) },
  { weight: 2, arbitrary: fc.constant({ what: 'export' as const }) },
  { weight: 2, arbitrary: fc.constant({ what: 'import' as const }) },
  { weight: 1, arbitrary: fc.constant({ what: 'kill' as const }) },
);
export type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;
type StepOf<What extends Step['what']> = Extract<Step, { what: What }>;

interface Entry {
  id: string;
  payload: { name: string; variant: number };
}

/** What is known of an upload or a line. */
interface Known {
  /** Of the payload that was acknowledged, until the entry is deleted. */
  variant?: number | undefined;
  id?: string | undefined;
  /** An atomic batch is known by its own key, and stores no line again. */
  isGone?: boolean;
}

const schemaOf = (type: unknown) => ({
  type: 'object',
  required: ['name'],
  properties: { name: { type: 'string' }, a: { type }, variant: { type: 'integer' } },
});

/** Half of them conform to each schema. */
const payloadOf = (name: string, odd: number, variant = 0) =>
  JSON.stringify({ name, a: odd % 2 ? odd : String(odd), variant });

const isAtomic = (key: number) => key === 0;

/**
 * An application whose clients and owner do anything in any order, and what is known of it. What makes an entry one: its idempotency key, or the
 * value of its member `name`. Call in a test.
 */
export async function createWorld(
  sluice: Sluice,
  other: Awaited<ReturnType<typeof createApiProcess>>,
  identity: 'key' | 'value',
) {
  const { token } = await sluice.owner();
  const domain = await sluice.application(token, schemaOf('number'));
  const path = `/applications/${domain}`;
  const urls = [sluice.url, other.url];
  const known = new Map<string, Known>();
  let refusedHere = 0;
  const owned = (method: string, at: string, json?: unknown) =>
    sluice.request(method, `${path}${at}`, { token, json });
  const receiver = await createReceiver();
  const hooked = await owned('POST', '/webhooks', { url: receiver.url, events: ['entries.stored'] });
  expect(hooked).toMatchObject({ status: 200 });
  const byKey = identity === 'key';
  if (!byKey) expect(await owned('PATCH', '', { unique: { path: '/name' } })).toMatchObject({ status: 200 });
  const made = await Promise.all(['one', 'other'].map((name) => owned('POST', '/keys', { name })));
  const senders = [undefined, ...made.map(({ body }): string => body.data.key)];
  const headersOf = (from: number, key: string): Record<string, string> => ({
    ...(senders[from] && { 'x-api-key': senders[from] }),
    ...(byKey && { 'idempotency-key': key }),
  });
  const of = (name: string): Known => known.get(name) ?? known.set(name, {}).get(name) ?? {};

  /** Undefined where the API was killed meanwhile, or did not know the outcome. */
  async function send(at: number, route: string, body: string, headers: Record<string, string>) {
    const url = urls[at] as string;
    const answer = await call(url, 'POST', `/api${path}${route}`, { body, headers }).catch((error) => {
      if (at === 1) return undefined;
      throw error;
    });
    return answer?.status === 503 ? undefined : answer;
  }

  async function upload({ key, variant, via: at, sender: from }: StepOf<'upload'>): Promise<void> {
    const name = `upload-${key}`;
    const before = { ...of(name) };
    const answer = await send(at, '/data', payloadOf(name, key, variant), headersOf(from, name));
    if (!answer) return;
    const { status, text } = answer;
    if (status === 422 && at === 0) refusedHere += 1;
    if (before.variant === undefined) expect([201, 409, 422], text).toContain(status);
    else if (before.variant === variant) expect({ status, text }).toMatchObject({ status: 201 });
    // A payload that the schema refuses hears that first, unless its key was used.
    else expect(byKey ? [409] : [409, 422], text).toContain(status);
    if (status !== 201) return;
    const id = answer.headers.get('entry-id') as string;
    if (before.id) expect(id).toBe(before.id);
    known.set(name, { variant, id });
  }

  async function uploadBatch({ key, via: at, sender: from }: StepOf<'batch'>): Promise<void> {
    const names = Array.from({ length: linesOfBatch }, (_, line) => `batch-${key}-${line}`);
    const before = names.map((name) => ({ ...of(name) }));
    const body = names.map((name, line) => payloadOf(name, line)).join('\n');
    const headers = { 'content-type': 'application/x-ndjson', ...headersOf(from, `batch-${key}`) };
    const answer = await send(at, `/data/batch${isAtomic(key) ? '?atomic=true' : ''}`, body, headers);
    if (!answer) return;
    const { status, text } = answer;
    expect([201, 207, 422], text).toContain(status);
    const refused = new Set(errorsOf(answer).map(({ line }) => line));
    if (at === 0) refusedHere += refused.size;
    for (const [i, name] of names.entries()) {
      const isTaken = isAtomic(key) ? status === 201 : !refused.has(i + 1);
      if (before[i]?.variant !== undefined) expect(refused.has(i + 1), text).toBe(false);
      if (isTaken && !of(name).isGone) known.set(name, { variant: 0 });
    }
  }

  async function publish({ type }: StepOf<'publish'>): Promise<void> {
    const { status, text } = await owned('POST', '/schemas', { schema: schemaOf(type) });
    // Two publications may come at once.
    expect([200, 409], text).toContain(status);
  }

  async function replay({ to }: StepOf<'replay'>): Promise<void> {
    const { counted } = refusedClient(sluice, token, domain);
    const noted = refusedHere;
    await until(async () => (await counted()) >= noted);
    const coerce = to ? [{ path: '/a', to }] : [];
    const { status, text, body } = await owned('POST', '/replays', { coerce });
    expect({ status, text }).toMatchObject({ status: 202 });
    let state = '';
    await until(async () => {
      ({ state } = (await owned('GET', `/replays/${body.data.id}`)).body.data);
      return !['waiting', 'active'].includes(state);
    });
    expect(state).toBe('completed');
  }

  const list = async (): Promise<Entry[]> => (await owned('GET', '/data?limit=1000')).body.data.result;

  async function remove(id: string, name: string): Promise<void> {
    const { status, text } = await owned('DELETE', `/data/${id}`);
    expect({ status, text }).toMatchObject({ status: 200 });
    const isGone = byKey && name.startsWith('batch') && isAtomic(Number(name.split('-')[1]));
    known.set(name, isGone ? { isGone } : {});
  }

  /** An export has once what is there before and stays. */
  async function exportAll(kept: Entry[]): Promise<void> {
    const { status, text } = await owned('GET', '/export?format=ndjson');
    expect(status).toBe(200);
    const lines = text.split('\n').filter((line) => line !== '');
    const names = lines.map((line): string => JSON.parse(line).payload.name);
    expect(names.length).toBe(new Set(names).size);
    for (const { payload } of kept) expect(names).toContain(payload.name);
  }

  /** An import stores what is not there yet. Where keys tell entries apart, it brings others. */
  async function importAll(isFree: (name: string) => boolean): Promise<void> {
    const names = Array.from({ length: singles }, (_, key) => `upload-${key}`).filter(isFree);
    if (byKey || names.length === 0) return;
    const body = names.map((name, key) => payloadOf(name, key)).join('\n');
    const client = importClient(sluice, token);
    const { status, text, body: answer } = await client.start(domain, body);
    expect({ status, text }).toMatchObject({ status: 202 });
    expect(await client.ended(domain, answer.data.id)).toMatchObject({ state: 'completed' });
  }

  async function kill(): Promise<void> {
    other.kill();
    await other.gone();
    await other.start();
  }

  return {
    /** Takes some steps at once. What is deleted is not uploaded at the same time. */
    async take(some: Step[]): Promise<void> {
      const there = await list();
      const chosen = some.flatMap((one) =>
        one.what === 'delete' ? (there[Math.floor((one.place * there.length) / 1_000)] ?? []) : [],
      );
      const deleted = new Map(chosen.map(({ id, payload }) => [id, payload.name]));
      const isKept = (prefix: string) => [...deleted.values()].every((name) => !name.startsWith(prefix));
      const isKilled = some.some(({ what }) => what === 'kill');
      const work = some.map((one) => {
        if (one.what === 'upload') return isKept(`upload-${one.key}`) ? upload(one) : undefined;
        if (one.what === 'batch') return isKept(`batch-${one.key}-`) ? uploadBatch(one) : undefined;
        if (one.what === 'publish') return publish(one);
        if (one.what === 'import') return importAll(isKept);
        if (one.what === 'export') return exportAll(there.filter(({ id }) => !deleted.has(id)));
        return one.what === 'replay' ? replay(one) : undefined;
      });
      const deletions = [...deleted].map(([id, name]) => remove(id, name));
      const all = await Promise.allSettled([...work, ...deletions, isKilled && kill()]);
      for (const one of all) if (one.status === 'rejected') throw one.reason;
    },

    /** Each key has one entry at most, and each acknowledged one is there. */
    async expectOnce(): Promise<void> {
      const there = await list();
      const names = there.map(({ payload }) => payload.name);
      expect(names.length).toBe(new Set(names).size);
      for (const [name, { variant, id }] of known) {
        if (variant === undefined) continue;
        const entry = there.find(({ payload }) => payload.name === name);
        expect(entry, name).toMatchObject({ payload: { variant }, ...(id && { id }) });
      }
    },

    /** Counts by key are those of the entries. */
    async expectCounts(): Promise<void> {
      const listed = await owned('GET', '/data?limit=1000&meta=source,key');
      const keys = listed.body.data.result.map(({ key = null }: { key?: string | null }) => key);
      const { status, text, body } = await owned('GET', '/stats?by=key&step=day');
      expect({ status, text }).toMatchObject({ status: 200 });
      const counted = new Map<string | null, number>();
      for (const { key, accepted } of body.data) counted.set(key, (counted.get(key) ?? 0) + accepted);
      for (const key of [null, ...made.map(({ body: { data } }) => data.id)])
        expect(counted.get(key) ?? 0).toBe(keys.filter((one: string | null) => one === key).length);
    },

    /** A retry of all that is acknowledged changes nothing. */
    async retryAll(): Promise<void> {
      const before = await list();
      for (const [name, { variant }] of known) {
        const [, key] = name.split('-').map(Number);
        if (variant === undefined || !name.startsWith('upload')) continue;
        await upload({ what: 'upload', key: key as number, variant: variant as 0 | 1, via: 0, sender: 0 });
      }
      expect(await list()).toEqual(before);
    },

    /** All that is there is delivered, and first in the order in which it was stored. An API that was killed delays it by a minute. */
    async expectDelivered(): Promise<void> {
      const delivered = () =>
        receiver.of('entries.stored').flatMap(({ event }): Entry[] => event.data.entries);
      const there = await list();
      await until(async () => {
        const ids = new Set(delivered().map(({ id }) => id));
        return there.every(({ id }) => ids.has(id));
      }, 180_000);
      const first = [...new Set(delivered().map(({ id }) => id))];
      expect(first).toEqual(first.toSorted());
    },
  };
}

const errorsOf = ({ body }: Answer): { line: number }[] => body.data?.errors ?? body.error?.details ?? [];
