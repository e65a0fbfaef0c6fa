import { isDeepStrictEqual } from 'node:util';
import { expect, it } from 'vitest';
import { celsiusSchema, refusedClient } from '../support/refused-client.ts';
import { sharedSluice, until } from '../support/sluice.ts';
import { ndjson, uploadClient } from '../support/upload-client.ts';

const sluice = await sharedSluice();
const { token } = await sluice.owner();

const minute = 60_000;

interface Stats {
  at: string;
  accepted: number;
  refused: number;
}

async function start() {
  const domain = await sluice.application(token, celsiusSchema);
  const path = `/applications/${domain}`;
  return {
    domain,
    path,
    refusals: refusedClient(sluice, token, domain),
    get: (query = '') => sluice.request('GET', `${path}/stats${query}`, { token }),
    async stats(query = ''): Promise<Stats[]> {
      const { status, text, body } = await sluice.request('GET', `${path}/stats${query}`, { token });
      expect({ status, text }).toMatchObject({ status: 200 });
      return body.data;
    },
    /** Stores entries with times of their own. */
    async import(times: number[]) {
      const lines = times.map((time) => ({
        createdAt: new Date(time).toISOString(),
        payload: { celsius: 1 },
      }));
      const made = await sluice.request('POST', `${path}/imports?entries=wrapped`, {
        token,
        body: ndjson(lines),
        headers: { 'content-type': 'application/x-ndjson' },
      });
      expect(made.status).toBe(202);
      await until(async () => {
        const { body } = await sluice.request('GET', `${path}/imports/${made.body.data.id}`, { token });
        return body.data.state === 'completed' && body.data.accepted === times.length;
      });
    },
  };
}

const sum = (stats: Stats[], of: 'accepted' | 'refused') => stats.reduce((all, one) => all + one[of], 0);

it('counts what was accepted and refused in the last hour, minute by minute', async () => {
  const { domain, stats, refusals } = await start();
  const { batch } = uploadClient(sluice, token);
  expect(sum(await stats(), 'accepted')).toBe(0);
  await batch(domain, ndjson(Array.from({ length: 30 }, (_, n) => ({ celsius: n < 20 ? n : `${n}` }))));
  await refusals.untilCounted(10);
  const found = await stats();
  expect(found).toHaveLength(60);
  expect([sum(found, 'accepted'), sum(found, 'refused')]).toEqual([20, 10]);
  const times = found.map(({ at }) => Date.parse(at));
  expect(times).toEqual(times.map((_, n) => (times[0] as number) + n * minute));
  expect(times.every((time) => time % minute === 0)).toBe(true);
});

it('counts by hours and days of UTC, as MongoDB does, also when entries were deleted', async () => {
  const { domain, path, stats, import: store } = await start();
  const begin = Date.parse('2026-03-01T22:30:00Z');
  const times = Array.from({ length: 2_000 }, (_, n) => begin + n * 97_000);
  await store(times);
  const query = '?from=2026-03-01T22:30:00Z&to=2026-03-05T00:00:00Z';
  const last = Date.parse('2026-03-05T00:00:00Z');

  async function expectExact(isThere: (time: number) => boolean) {
    const sixHours = await stats(`${query}&step=hour&every=6`);
    expect(sixHours.slice(0, 2).map(({ at }) => at)).toEqual([
      '2026-03-01T18:00:00.000Z',
      '2026-03-02T00:00:00.000Z',
    ]);
    expect(sum(sixHours, 'accepted')).toBe(times.filter(isThere).filter((time) => time < last).length);
    for (const [step, length] of [
      ['hour', 60 * minute],
      ['day', 24 * 60 * minute],
    ] as const) {
      const found = await stats(`${query}&step=${step}`);
      expect(found[0]?.at).toBe(step === 'hour' ? '2026-03-01T22:00:00.000Z' : '2026-03-01T00:00:00.000Z');
      expect(found.at(-1)?.at).toBe(
        step === 'hour' ? '2026-03-04T23:00:00.000Z' : '2026-03-04T00:00:00.000Z',
      );
      const counted = found.map(({ at }) => {
        const from = Date.parse(at);
        return times.filter((time) => time >= from && time < from + length && isThere(time)).length;
      });
      expect(found.map(({ accepted }) => accepted)).toEqual(counted);
    }
  }
  await expectExact(() => true);
  const [from, to] = [Date.parse('2026-03-02T10:20:00Z'), Date.parse('2026-03-03T10:20:00Z')];
  const json = { from: new Date(from).toISOString(), to: new Date(to).toISOString() };
  const made = await sluice.request('POST', `${path}/deletions`, { token, json });
  expect(made.status).toBe(202);
  const left = times.filter((time) => time < from || time >= to).length;
  await until(async () => (await uploadClient(sluice, token).count(domain)) === left);
  await expectExact((time) => time < from || time >= to);
});

it('counts by ingest key what was accepted, refused and lost', async () => {
  const { domain, path, stats } = await start();
  const keys = await Promise.all(
    ['one', 'other', 'idle'].map(async (name) => {
      const { body } = await sluice.request('POST', `${path}/keys`, { token, json: { name } });
      return body.data as { id: string; key: string };
    }),
  );
  const [one, other, idle] = keys as [(typeof keys)[0], (typeof keys)[0], (typeof keys)[0]];
  const { batch } = uploadClient(sluice, token);
  const upload = (payload: object | string, key?: string) =>
    sluice.request('POST', `${path}/data`, {
      body: typeof payload === 'string' ? payload : JSON.stringify(payload),
      ...(key && { headers: { 'x-api-key': key } }),
    });
  await upload({ celsius: 1 }, one.key);
  await batch(domain, ndjson([{ celsius: 1 }, { celsius: 'x' }]), { headers: { 'x-api-key': one.key } });
  await upload({ celsius: 1 }, other.key);
  await upload({ celsius: 1 });
  await upload({ celsius: 'x' });
  await upload('{"celsius":', other.key);

  const query = `?step=day&from=${new Date(Date.now() - 1).toISOString()}`;
  const counts = ({ key, accepted, refused, lost }: Stats & { key?: string | null; lost?: object }) => ({
    key,
    accepted,
    refused,
    lost: (lost as { not_json: number }).not_json,
  });
  await until(async () => {
    const found = (await stats(`${query}&by=key`)).map(counts);
    const sorted = found.toSorted((a, b) => String(a.key).localeCompare(String(b.key)));
    const expected = [
      { key: one.id, accepted: 2, refused: 1, lost: 0 },
      { key: other.id, accepted: 1, refused: 0, lost: 1 },
      { key: null, accepted: 1, refused: 1, lost: 0 },
    ].toSorted((a, b) => String(a.key).localeCompare(String(b.key)));
    return isDeepStrictEqual(sorted, expected);
  });
  expect((await stats(`${query}&by=key&key=${one.id}`)).map(counts)).toEqual([
    { key: one.id, accepted: 2, refused: 1, lost: 0 },
  ]);
  expect((await stats(`${query}&key=${one.id}`)).map(counts)).toEqual([{ accepted: 2, refused: 1, lost: 0 }]);
  expect((await stats(`${query}&key=${idle.id}`)).map(counts)).toEqual([
    { accepted: 0, refused: 0, lost: 0 },
  ]);
  expect((await stats(query)).map(counts)).toEqual([{ accepted: 4, refused: 2, lost: 1 }]);
  expect(await stats(`${query}&by=key&key=${idle.id}`)).toEqual([]);
});

it.each([
  ['?step=week', '/step'],
  ['?from=yesterday', '/from'],
  ['?limit=1', '/limit'],
  ['?by=/a~2', '/by'],
  ['?key=till', '/key'],
])('refuses %s', async (query, path) => {
  const { get } = await start();
  const { status, body } = await get(query);
  expect([status, body.error.details[0].path]).toEqual([400, path]);
});

it.each([
  ['?hash=true', '`hash` needs step=hour or step=day'],
  ['?by=key&filter={}', '`by=key` takes no `filter`: name one key by `key`'],
  ['?hash=true&step=hour&by=key', '`hash` is of all entries: leave out `by`, `key` and `filter`'],
])('refuses to combine %s', async (query, message) => {
  const { status, body } = await (await start()).get(query);
  expect([status, body.error.message]).toEqual([400, message]);
});

it('has at most 1,000 steps', async () => {
  const { get, stats } = await start();
  expect(await stats('?from=2026-01-01T00:00:00Z&to=2026-01-01T16:40:00Z')).toHaveLength(1_000);
  const { status, body } = await get('?from=2026-01-01T00:00:00Z&to=2026-01-01T16:40:00.001Z');
  expect([status, body.error.message]).toEqual([
    400,
    'the period has 1,001 steps of one minute, at most 1,000 are possible: choose a shorter period or a longer step',
  ]);
  expect(await stats('?from=2026-01-01&to=2026-01-01')).toEqual([]);
});
