import { expect, inject, it, onTestFinished } from 'vitest';
import { createCuttableProxy } from '../support/cuttable-proxy.ts';
import { lowPort } from '../support/low-port.ts';
import { throughProxy } from '../support/own-database.ts';
import { scrape } from '../support/scrape.ts';
import { ownStores, startSluice, until } from '../support/sluice.ts';

const METRICS_TOKEN = 'a-token-of-this-test';

async function started(env: Record<string, string>) {
  const sluice = await startSluice({ workers: false, env });
  onTestFinished(() => sluice.stop());
  return sluice;
}

/** The status of an answer to a scrape. */
async function statusOf(url: string, authorization?: string): Promise<number> {
  const response = await fetch(`${url}/metrics`, { headers: authorization ? { authorization } : {} });
  await response.text();
  return response.status;
}

it('answers no scrape unless told to', async () => {
  const { url } = await started({});
  expect(await statusOf(url)).toBe(404);
  expect(await statusOf(url, `Bearer ${METRICS_TOKEN}`)).toBe(404);
});

it('answers on a port of its own: GET /metrics, and whether it lives', async () => {
  const MONITORING_PORT = String(await lowPort());
  const { url } = await started({ MONITORING_PORT });
  const own = `http://127.0.0.1:${MONITORING_PORT}`;
  expect([await statusOf(own), await statusOf(url)]).toEqual([200, 404]);
  const others = await Promise.all([
    fetch(`${own}/`),
    fetch(`${own}/api/health/live`),
    fetch(`${own}/metrics`, { method: 'POST' }),
  ]);
  expect(others.map(({ status }) => status)).toEqual([404, 404, 404]);
  expect((await fetch(`${own}/health/live`)).status).toBe(200);
});

it('wants the token where there is one, on both ports', async () => {
  const MONITORING_PORT = String(await lowPort());
  const { url, request } = await started({ MONITORING_PORT, METRICS_TOKEN });
  for (const each of [url, `http://127.0.0.1:${MONITORING_PORT}`]) {
    const wrong = [undefined, METRICS_TOKEN, 'Bearer', `Bearer ${METRICS_TOKEN}x`, `Basic ${METRICS_TOKEN}`];
    for (const authorization of wrong) expect(await statusOf(each, authorization)).toBe(401);
    expect(await statusOf(each, `Bearer ${METRICS_TOKEN}`)).toBe(200);
  }
  expect((await fetch(`http://127.0.0.1:${MONITORING_PORT}/health/live`)).status).toBe(200);
  const { body } = await request('GET', '/openapi.json');
  expect(Object.keys(body.paths).filter((path) => path.includes('metrics'))).toEqual([]);
});

it.each(['cut', 'stall'] as const)('answers a scrape while MongoDB and Redis are away (%s)', async (how) => {
  const address = (url: string, usual: number) => {
    const { hostname: host, port } = new URL(url);
    return createCuttableProxy({ host, port: Number(port || usual) });
  };
  const mongodb = await address(inject('mongodbUrl'), 27017);
  const redis = await address(inject('redisUrl'), 6379);
  onTestFinished(async () => {
    await Promise.all([mongodb.close(), redis.close()]);
  });
  const env = ownStores(`redis://127.0.0.1:${redis.port}`);
  const MONGODB_URL = throughProxy(env.MONGODB_URL as string, mongodb);
  const { url } = await started({ ...env, MONGODB_URL, METRICS_TOKEN });
  const up = async () => {
    const { value } = await scrape(url, METRICS_TOKEN);
    return [value('sluice_mongo_primary_up'), value('sluice_redis_up')].join();
  };
  await until(async () => (await up()) === '1,1');
  await Promise.all([mongodb[how](), redis[how]()]);
  expect(await up()).toBe('0,0');
  await Promise.all([mongodb.restore(), redis.restore()]);
  await until(async () => (await up()) === '1,1');
});
