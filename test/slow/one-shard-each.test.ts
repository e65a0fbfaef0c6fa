import { expect, it } from 'vitest';
import { exportClient } from '../support/export-client.ts';
import { importClient } from '../support/import-client.ts';
import { follow } from '../support/live-client.ts';
import { startSharded } from '../support/mongos/sharded-sluice.ts';
import { celsiusSchema, refusedClient } from '../support/refused-client.ts';
import { storeOf, until } from '../support/sluice.ts';
import { ndjson, uploadClient } from '../support/upload-client.ts';

const celsius = (count: number, first = 0) =>
  Array.from({ length: count }, (_, n) => ({ celsius: (first + n) % 60 }));

it('each command for one application asks one shard', async () => {
  const { mongos, sluice } = await startSharded();
  const { token } = await sluice.owner();
  const domains = await Promise.all([1, 2, 3, 4].map(() => sluice.application(token, celsiusSchema)));
  const [domain = ''] = domains;
  const path = `/applications/${domain}`;
  const { upload, batch, count } = uploadClient(sluice, token);
  const refusals = refusedClient(sluice, token, domain);
  const imports = importClient(sluice, token);
  const exports = exportClient(sluice.url, token);
  const store = storeOf(sluice);
  const get = async (query: string) => {
    const { status, text } = await sluice.request('GET', `${path}${query}`, { token });
    expect({ status, text }).toMatchObject({ status: 200 });
  };
  const job = async (kind: string, json: object) => {
    const { status, text, body } = await sluice.request('POST', `${path}/${kind}`, { token, json });
    expect({ status, text }).toMatchObject({ status: 202 });
    await until(async () => {
      const found = await sluice.request('GET', `${path}/${kind}/${body.data.id}`, { token });
      return found.body.data.state === 'completed';
    });
  };
  const idOf = async (one: string) => (await store.applications.byDomain(one))?.id as string;

  // The chunks of the others, so that a range that is too wide is seen.
  for (const other of domains) expect((await upload(other, '{"celsius":1}')).status).toBe(201);

  const steps: Record<string, () => Promise<unknown>> = {
    upload: () => upload(domain, '{"celsius":2}'),
    'upload with a key': () => upload(domain, '{"celsius":3}', 'key-1'),
    'the same again': () => upload(domain, '{"celsius":3}', 'key-1'),
    batch: () => batch(domain, ndjson(celsius(3_000))),
    'batch with a key': () =>
      batch(domain, ndjson(celsius(3)), { headers: { 'idempotency-key': 'batch-1' } }),
    'atomic batch': () =>
      batch(domain, ndjson(celsius(3)), { query: '?atomic=true', headers: { 'idempotency-key': 'batch-2' } }),
    refusal: async () => {
      for (const key of ['key-2', 'key-2', 'key-3'])
        await refusals.refuse({ celsius: 70 }, { headers: { 'idempotency-key': key } });
      await refusals.untilCounted(3, 2);
    },
    import: () => imports.complete(domain, ndjson(celsius(6_000))),
    milestones: async () => {
      const id = await idOf(domain);
      await until(async () => {
        await store.milestones.set(id, Date.now(), 10);
        return (await store.milestones.countAbove(id, Date.now())) < 2_500;
      });
    },
    'first page': () => get('/data?limit=10'),
    'deep page': () => get('/data?start=4000&limit=10'),
    'page of a period': () => get(`/data?from=2020-01-01T00:00:00Z&to=${new Date().toISOString()}`),
    'filtered page': () => get(`/data?filter=${encodeURIComponent('{"celsius":3}')}`),
    'forward sync': () => get('/data?order=oldest&limit=10&start=4000'),
    counts: () => count(domain),
    statistics: () =>
      get(
        `/stats?from=${new Date(Date.now() - 3_600_000).toISOString()}&to=${new Date().toISOString()}&step=minute`,
      ),
    export: async () => exports.over(domain, await exports.create(domain)),
    live: async () => {
      const following = await follow(sluice.url, { token, domain, refused: true });
      await upload(domain, '{"celsius":4}');
      await upload(domain, '{"celsius":80}');
      await until(async () => following.entries().length > 0 && following.refused().length > 0);
    },
    rehearsal: () => job('rehearsals', { schema: { type: 'object', required: ['place'] }, of: 'both' }),
    replay: () => job('replays', { patch: [{ op: 'replace', path: '/celsius', value: 5 }] }),
    'deletion by a filter': () => job('deletions', { filter: { celsius: 3 } }),
    'page after deletions': () => get('/data?start=4000&limit=10'),
    'forward sync after deletions': () => get('/data?order=oldest&limit=10&start=4000'),
    purge: async () => {
      const id = await idOf(domain);
      await sluice.request('DELETE', path, { token });
      await until(async () => (await store.applications.tombstone(id)) === undefined);
    },
  };
  const asked: Record<string, number> = {};
  for (const [name, step] of Object.entries(steps)) {
    mongos.forget();
    await step();
    const named = mongos.commands().filter(({ isNamed }) => isNamed);
    expect([name, named.filter(({ chunks }) => chunks > 1)]).toEqual([name, []]);
    asked[name] = Math.max(0, ...named.map(({ shards }) => shards));
  }
  expect(Object.entries(asked).filter(([, shards]) => shards > 1)).toEqual([]);
  expect(asked).toMatchObject({
    upload: 1,
    batch: 1,
    'deep page': 1,
    counts: 1,
    export: 1,
    purge: 1,
    milestones: 1,
  });
});

it('while shards and mongos fail at random, what is acknowledged is stored once, and a retry settles the rest', async () => {
  const { mongos, sluice } = await startSharded({ MONGODB_TIMEOUT: '10s' });
  const { token } = await sluice.owner();
  const domain = await sluice.application(token);
  const { upload, batch, payloads } = uploadClient(sluice, token);
  const counts = mongos.fail({ seed: Number(process.env.SEED ?? 1), oneIn: 4 });
  const acknowledged = new Set<number>();

  /** Uploads or batches of 50 with a key, in turns. Resolves with whether all is acknowledged. */
  async function send(at: number): Promise<boolean> {
    const numbers = Array.from({ length: at % 2 === 0 ? 50 : 1 }, (_, i) => 50 * at + i);
    const lines = numbers.map((n) => ({ n }));
    const key = `key-${at}`;
    const { status, body, text } =
      lines.length > 1
        ? await batch(domain, ndjson(lines), { headers: { 'idempotency-key': key } })
        : await upload(domain, JSON.stringify(lines[0]), key);
    if (status !== 503) expect([201, 207], text).toContain(status);
    const failed = new Set((body.data?.errors ?? []).map(({ line }: { line: number }) => line));
    const taken = numbers.filter((_, i) => status !== 503 && !failed.has(i + 1));
    for (const n of taken) acknowledged.add(n);
    return taken.length === numbers.length;
  }
  let open = Array.from({ length: 80 }, (_, at) => at);
  async function sendAll(): Promise<void> {
    const again: number[] = [];
    for (let first = 0; first < open.length; first += 8)
      await Promise.all(
        open.slice(first, first + 8).map(async (at) => {
          if (!(await send(at))) again.push(at);
        }),
      );
    open = again;
  }
  const stored = async () => (await payloads(domain)).map(({ n }) => n).sort((a, b) => a - b);

  await sendAll();
  mongos.heal();
  const before = await stored();
  expect(before.length).toBe(new Set(before).size);
  expect(new Set(before).isSupersetOf(acknowledged)).toBe(true);
  if (process.env.SEE)
    console.log({ counts, unconfirmed: open.length, acknowledged: acknowledged.size, stored: before.length });
  // Where an attempt is in doubt, a retry waits until the horizon is above its place: a minute and a half.
  await until(async () => {
    await sendAll();
    return open.length === 0;
  }, 150_000);
  expect(await stored()).toEqual([...acknowledged].sort((a, b) => a - b));
  expect(acknowledged.size).toBe(40 * 51);
  expect(Object.values(counts).reduce((sum, count) => sum + count, 0)).toBeGreaterThan(20);
}, 240_000);
