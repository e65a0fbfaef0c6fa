import { connectStore } from '@sluice/jobs/connect.ts';
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import { type CuttableProxy, createCuttableProxy } from '../support/cuttable-proxy.ts';
import { throughProxy } from '../support/own-database.ts';
import { type Call, ownStores, type Sluice, startSluice, until } from '../support/sluice.ts';

/** Less than the half minute after which the driver would give up by itself, where it ever does. */
const withinMs = 28_000;

/** What the work is, and whether it took less than that. */
async function inTime<T>(work: Promise<T>): Promise<T> {
  const began = performance.now();
  const result = await work;
  expect(performance.now() - began).toBeLessThan(withinMs);
  return result;
}

let sluice: Sluice;
let witness: Sluice;
let mongodb: CuttableProxy;
let token: string;
let domain: string;

beforeAll(async () => {
  const { hostname, port } = new URL(inject('mongodbUrl'));
  mongodb = await createCuttableProxy({ host: hostname, port: Number(port || 27017) });
  const env = ownStores();
  // What the tests need is made with time enough.
  witness = await startSluice({ workers: false, env });
  const MONGODB_URL = throughProxy(env.MONGODB_URL as string, mongodb);
  sluice = await startSluice({ workers: false, env: { ...env, MONGODB_URL, MONGODB_TIMEOUT: '1s' } });
  ({ token } = await witness.owner());
  domain = await witness.application(token);
});
afterAll(async () => {
  await Promise.all([sluice.stop(), witness.stop()]);
  await mongodb.close();
});

const credentials = { username: 'somebody', password: 'correct horse' };
const requests: [method: string, path: string, call: () => Call][] = [
  ['POST', '/users/register', () => ({ json: { ...credentials, locale: 'en' } })],
  ['POST', '/users/login', () => ({ json: credentials })],
  ['GET', '/users/me', () => ({ token })],
  ['GET', '/applications', () => ({ token })],
  ['POST', '/applications/:domain/data', () => ({ json: {} })],
  ['POST', '/applications/:domain/data/batch', () => ({ json: [{}] })],
  ['GET', '/applications/:domain/data', () => ({ token })],
];

describe.each(['cut', 'stall'] as const)('while MongoDB is away (%s)', (how) => {
  it('is said with a 503, whatever is asked for, and it is over when MongoDB is back', async () => {
    await mongodb[how]();
    const answers = await Promise.all(
      requests.map(([method, path, call]) =>
        inTime(sluice.request(method, path.replace(':domain', domain), call())),
      ),
    );
    const outcomes = answers.map(({ status, body }, place) => [
      requests[place]?.[1],
      status,
      body.error?.name,
    ]);
    expect(outcomes).toEqual(requests.map(([, path]) => [path, 503, 'ServiceUnavailableError']));
    // After 503, clients of tus begin another file.
    const file = `/applications/${domain}/import-files/0123456789abcdef01234567`;
    expect((await inTime(sluice.request('HEAD', file, { token }))).status).toBe(423);
    await mongodb.restore();
    await until(async () => (await sluice.request('GET', '/users/me', { token })).status === 200);
  });
});

it.each(['patient', 'impatient'] as const)(
  'who comes before MongoDB is there reaches it later (%s)',
  async (patience) => {
    await mongodb.cut();
    const url = throughProxy(ownStores().MONGODB_URL as string, mongodb);
    const store = connectStore({ url, timeoutMs: 500 }, 'sluice-test', patience);
    onTestFinished(() => store.close());
    for (const _attempt of [1, 2]) await inTime(expect(store.clock()).rejects.toThrow());
    await mongodb.restore();
    // On a busy machine the first attempts may take too long.
    for (const work of [store.clock, store.prepare])
      await until(() =>
        work().then(
          () => true,
          () => false,
        ),
      );
  },
);
