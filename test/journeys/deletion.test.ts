import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { quickPurges, type Sluice, startSluice, storeOf, until } from '../support/sluice.ts';

let one: Sluice;
let two: Sluice;
let token: string;

beforeAll(async () => {
  one = await startSluice({ workerEnv: quickPurges });
  two = await startSluice({ workers: false, env: one.env });
  ({ token } = await one.owner());
});
afterAll(() => Promise.all([one.stop(), two.stop()]));

describe('deleting an application', () => {
  it('ends uploads on every replica within a second or so, and leaves nothing', async () => {
    const domain = await one.application(token);
    const store = storeOf(one);
    const id = (await store.applications.byDomain(domain))?.id as string;
    const upload = ({ url }: Sluice) =>
      fetch(`${url}/api/applications/${domain}/data`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{"a":1}',
      }).then(async (response) => {
        await response.arrayBuffer();
        return response.status;
      });
    const seen: number[][] = [[], []];
    const until404 = async (replica: Sluice, statuses: number[]) => {
      while (statuses.at(-1) !== 404) statuses.push(await upload(replica));
    };
    await upload(one);
    await upload(two);
    const running = [until404(one, seen[0] as number[]), until404(two, seen[1] as number[])];
    await one.request('POST', `/applications/${domain}/exports`, { token, json: {} });
    expect((await one.request('DELETE', `/applications/${domain}`, { token })).status).toBe(200);
    await Promise.all(running);
    for (const statuses of seen) expect(new Set(statuses)).toEqual(new Set([201, 404]));

    await until(async () => (await store.applications.tombstone(id)) === undefined);
    expect(await store.entries.count(id, {})).toBe(0);
    expect(await store.jobs.list(id, 'export')).toEqual([]);
    expect((await store.fields.of(id)).pointers).toEqual([]);
    for (const method of ['GET', 'DELETE']) {
      expect((await two.request(method, `/applications/${domain}`, { token })).status).toBe(404);
    }
  });

  it('is in force on the other replica even when no message of it arrives', async () => {
    const deaf = await startSluice({ workers: false, env: { ...one.env, REDIS_PREFIX: 'hears-nothing' } });
    try {
      const domain = await one.application(token);
      const upload = () => deaf.request('POST', `/applications/${domain}/data`, { json: {} });
      expect((await upload()).status).toBe(201);
      await one.request('DELETE', `/applications/${domain}`, { token });
      await until(async () => (await upload()).status === 404);
    } finally {
      await deaf.stop();
    }
  });

  it('never gives a domain twice', async () => {
    const domain = await one.application(token);
    const store = storeOf(one);
    const {
      createdAt: _,
      lastModifiedAt: __,
      id: ___,
      ...fields
    } = (await store.applications.byDomain(domain)) as NonNullable<
      Awaited<ReturnType<typeof store.applications.byDomain>>
    >;
    await one.request('DELETE', `/applications/${domain}`, { token });
    expect(await store.applications.create(fields)).toBeUndefined();
  });

  it('purges what the queue forgot', async () => {
    const silent = await startSluice({ workers: false, env: { ...one.env, REDIS_PREFIX: 'forgets' } });
    try {
      const domain = await one.application(token);
      await one.request('POST', `/applications/${domain}/data`, { json: {} });
      const store = storeOf(one);
      const id = (await store.applications.byDomain(domain))?.id as string;
      // The job goes to a queue that no worker takes from.
      await silent.request('DELETE', `/applications/${domain}`, { token });
      await until(async () => (await store.entries.count(id, {})) === 0);
    } finally {
      await silent.stop();
    }
  });
});
