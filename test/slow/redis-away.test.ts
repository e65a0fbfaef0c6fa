import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { type CuttableProxy, createCuttableProxy } from '../support/cuttable-proxy.ts';
import { quickPurges, type Sluice, startSluice, storeOf, until, untilTaken } from '../support/sluice.ts';

let sluice: Sluice;
let redis: CuttableProxy;
let token: string;
let domain: string;

beforeAll(async () => {
  const { hostname, port } = new URL(inject('redisUrl'));
  redis = await createCuttableProxy({ host: hostname, port: Number(port || 6379) });
  sluice = await startSluice({
    env: { REDIS_URL: `redis://127.0.0.1:${redis.port}`, REDIS_TIMEOUT: '1s' },
    workerEnv: quickPurges,
  });
  ({ token } = await sluice.owner());
});
afterAll(async () => {
  await sluice.stop();
  await redis.close();
});
beforeEach(async () => {
  await redis.restore();
  domain = await sluice.application(token);
});

const health = async () => (await sluice.request('GET', '/health/ready')).body.data;
const upload = () =>
  untilTaken(() => sluice.request('POST', `/applications/${domain}/data`, { json: { a: 1 } }));
const stream = () => sluice.request('GET', `/applications/${domain}/export`, { token });

describe.each(['cut', 'stall'] as const)('while Redis is away (%s)', (how) => {
  it('stores every upload', async () => {
    await redis[how]();
    const answers = await Promise.all(Array.from({ length: 100 }, upload));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    const { body } = await sluice.request('GET', `/applications/${domain}/data?limit=1`, { token });
    expect(body.data.pagination.total).toBe(100);
  });

  it('is ready, and says that Redis is down', async () => {
    await redis[how]();
    await until(async () => (await health()).redis === 'down');
    await redis.restore();
    await until(async () => (await health()).redis === 'up');
  });

  it('answers an export with 503, both ways, and makes the next one when it is back', async () => {
    await upload();
    await redis[how]();
    for (const answer of [
      await stream(),
      await sluice.request('POST', `/applications/${domain}/exports`, { token, json: {} }),
    ]) {
      expect([answer.status, answer.body.error.name]).toEqual([503, 'ServiceUnavailableError']);
      expect(answer.headers.get('retry-after')).toMatch(/^\d+$/);
    }
    await redis.restore();
    await until(async () => (await stream()).status === 200);
  });

  it('deletes an application, and purges it when Redis is back', async () => {
    await upload();
    const store = storeOf(sluice);
    const id = (await store.applications.byDomain(domain))?.id as string;
    await redis[how]();
    expect((await sluice.request('DELETE', `/applications/${domain}`, { token })).status).toBe(200);
    expect((await upload()).status).toBe(404);
    await redis.restore();
    await until(async () => (await store.applications.tombstone(id)) === undefined);
    expect(await store.entries.count(id, {})).toBe(0);
  });
});

it('starts, and takes uploads, with no Redis at all', async () => {
  const alone = await startSluice({
    workers: false,
    env: { ...sluice.env, REDIS_URL: 'redis://127.0.0.1:1' },
  });
  try {
    const answer = await alone.request('POST', `/applications/${domain}/data`, { json: {} });
    expect(answer.status).toBe(201);
  } finally {
    await alone.stop();
  }
});
