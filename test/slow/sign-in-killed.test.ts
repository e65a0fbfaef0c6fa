import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { createApiProcess } from '../support/api-process.ts';
import { createCuttableProxy } from '../support/cuttable-proxy.ts';
import { createBrowser } from '../support/oidc-browser.ts';
import { startProvider } from '../support/oidc-provider.ts';
import { openStore, throughProxy } from '../support/own-database.ts';
import { call, ownStores, startSluice } from '../support/sluice.ts';

const proxyOf = async (url: string, port: number) => {
  const target = new URL(url);
  const proxy = await createCuttableProxy({ host: target.hostname, port: Number(target.port || port) });
  onTestFinished(() => proxy.close());
  return proxy;
};

/** An API that can be killed, whose MongoDB can be cut off. */
async function start() {
  const stores = ownStores();
  const mongodb = await proxyOf(stores.MONGODB_URL as string, 27_017);
  const MONGODB_URL = throughProxy(stores.MONGODB_URL as string, mongodb);
  const env: Record<string, string> = { ...stores, MONGODB_URL, MONGODB_TIMEOUT: '2s' };
  const api = await createApiProcess(env);
  const provider = await startProvider(api.url);
  onTestFinished(provider.stop);
  Object.assign(env, provider.env);
  await api.start();
  return {
    api,
    provider,
    mongodb,
    users: openStore(stores.MONGODB_URL as string).users,
    async restart(): Promise<void> {
      api.kill();
      await api.gone();
      await mongodb.restore();
      await api.start();
    },
  };
}

type World = Awaited<ReturnType<typeof start>>;

async function back({ provider }: World, login: string) {
  const browser = createBrowser(provider);
  return { browser, url: await browser.signInThere(await browser.begin(), login) };
}

/** Signs in; returns the name of the user. */
async function nameOf(world: World, login: string): Promise<string> {
  const { browser, url } = await back(world, login);
  await browser.comeBack(url);
  const { body } = await call(world.api.url, 'GET', '/api/users/me', { token: await browser.token() });
  return body.data.username;
}

it('a sign-in that one process began ends in another, after a kill', async () => {
  const world = await start();
  const { browser, url } = await back(world, 'ada');
  await world.restart();
  expect((await browser.comeBack(url)).headers.get('location')).toBe(`${world.api.url}/`);
  expect(await browser.token()).toBeDefined();
});

it('a kill at any step of the way back lets nobody in by half, and locks nobody out', async () => {
  const world = await start();
  const { api, provider, mongodb, restart, users } = world;
  /** What the API sends: that the state is used, the new user, the audit record, the session. */
  const sent = ['usedStates', 'usernameKey', 'user.logged-in', '$concatArrays'];
  const steps: [string, () => unknown][] = [
    ['token', () => provider.tamper(api.kill)],
    ...sent.flatMap((text): [string, () => unknown][] => [
      [`sent ${text}`, () => mongodb.cutWhenSent(text)],
      [`answered ${text}`, () => mongodb.cutWhenAnswered(text)],
    ]),
  ];
  for (const [at, [step, prepare]] of steps.entries()) {
    const login = `person${at}`;
    const { browser, url } = await back(world, login);
    prepare();
    const location = await browser.comeBack(url).then(
      ({ headers }) => headers.get('location'),
      () => 'killed',
    );
    const failed = `${api.url}/sign-in?failed=`;
    expect([step, location]).toEqual([step, step === 'token' ? 'killed' : `${failed}unavailable`]);
    provider.tamper();
    await restart();
    expect([step, await browser.token()]).toEqual([step, undefined]);
    expect((await browser.comeBack(url)).headers.get('location')).toBe(`${failed}expired`);
    expect(await browser.token()).toBeUndefined();
    expect([step, await nameOf(world, login)]).toEqual([step, login]);
  }
  expect((await users.list()).map(({ username }) => username)).toEqual(steps.map((_, at) => `person${at}`));
}, 900_000);

describe.each(['cut', 'stall'] as const)('while Redis is away (%s)', (how) => {
  it('people sign in all the same', async () => {
    const redis = await proxyOf(inject('redisUrl'), 6_379);
    const provider = await startProvider();
    const env = { ...provider.env, REDIS_URL: `redis://127.0.0.1:${redis.port}`, REDIS_TIMEOUT: '1s' };
    const sluice = await startSluice({ workers: false, env: { ...env, LOGIN_RATE: '60/1m' } });
    onTestFinished(async () => {
      await sluice.stop();
      provider.stop();
    });
    const browser = createBrowser(provider);
    const there = await browser.begin();
    await redis[how]();
    await browser.comeBack(await browser.signInThere(there, 'ada'));
    expect(await browser.token()).toBeDefined();
    const late = createBrowser(provider);
    await late.comeBack(await late.signInThere(await late.begin(), 'ada'));
    expect(await late.token()).toBeDefined();
  });
});
