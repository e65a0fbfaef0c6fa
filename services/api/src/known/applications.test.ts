import { createCompiler } from '@sluice/schemas/compile/compiler.ts';
import { createLogger } from '@sluice/shared/logger.ts';
import { expect, it, onTestFinished, vi } from 'vitest';
import { openStore, ownDatabase } from '../../../../test/support/own-database.ts';
import { quietExplainer } from '../../../../test/support/quiet-explainer.ts';
import { type CachedApplication, createApplicationCache } from './applications.ts';
import { createFeed } from './feed.ts';

/** An application with such a schema takes somewhat less. */
const bytesOfOne = 5_000;

/** A cache for so many applications, and applications in a database of its own. */
async function start(size: number, domains: string[]) {
  const store = openStore((await ownDatabase()).url);
  await store.prepare();
  const made = await store.users.create({ username: 'owner', locale: 'en', passwordHash: '' });
  const owner = { id: made?.id as string, username: 'owner' };
  const fields = { owner, name: 'Test', type: 'other', connectors: [], rawSchema: '{"type":"object"}' };
  for (const domain of domains) await store.applications.create({ ...fields, domain });
  const compiler = createCompiler({ deadlineMs: 60_000 });
  onTestFinished(compiler.close);
  const log = createLogger('test', { level: 'silent', pretty: false });
  const feed = createFeed(store.changes, log);
  onTestFinished(feed.close);
  /** Reads wait for it once they are done. */
  let held = Promise.resolve();
  const applications: Pick<typeof store.applications, 'byDomain'> = {
    async byDomain(domain) {
      const found = await store.applications.byDomain(domain);
      await held;
      return found;
    },
  };
  const cache = createApplicationCache({
    ...store,
    applications,
    compiler,
    explainer: quietExplainer(),
    feed,
    memory: size * bytesOfOne,
  });
  return {
    cache,
    feed,
    store,
    owner,
    get: async (domain: string) => (await cache.get(domain)) as CachedApplication,
    /** Returns how to let them go on. */
    hold(): () => void {
      const { promise, resolve } = Promise.withResolvers<void>();
      held = promise;
      return resolve;
    },
  };
}

it('holds the applications that were used last, and no more than its size', async () => {
  const { get } = await start(2, ['one', 'two', 'three']);
  const [one, two, three] = [await get('one'), await get('two'), await get('three')];
  expect(await get('two')).toBe(two);
  expect(await get('three')).toBe(three);
  expect(await get('one')).not.toBe(one);
});

it('forgets an application that it is told to forget, and no other', async () => {
  const { cache, get } = await start(2, ['one', 'two']);
  const [one, two] = [await get('one'), await get('two')];
  cache.forget(one.id);
  expect(await get('two')).toBe(two);
  expect(await get('one')).not.toBe(one);
});

it('hears of what another process changed, once, and keeps all else', async () => {
  const { feed, get, store, owner } = await start(2, ['one', 'two']);
  const [one, two] = [await get('one'), await get('two')];
  await store.applications.update(one.id, { keyRequired: true });
  await feed.renew();
  const changed = await get('one');
  expect(changed).toMatchObject({ id: one.id, keyRequired: true });
  await feed.renew();
  expect([await get('one'), await get('two')]).toEqual([changed, two]);
  expect(await get('one')).toBe(changed);
  expect(await get('two')).toBe(two);
  await store.users.disable(owner.id);
  await feed.renew();
  expect([await get('one'), await get('two')]).toMatchObject([
    { ownerIsDisabled: true },
    { ownerIsDisabled: true },
  ]);
});

it.each([
  ['goes on', 0],
  ['is set back by an hour', -3_600_000],
])(
  'takes nothing on knowledge older than a second, also where nobody tells that the application is gone and the clock %s',
  async (_how, stepMs) => {
    vi.useFakeTimers({ toFake: ['Date', 'performance', 'setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const { cache, store, owner, get } = await start(1, ['one']);
    const one = await get('one');
    await store.applications.remove('one', owner.id, 0);
    expect(cache.peek('one')).toBe(one);
    vi.setSystemTime(Date.now() + stepMs);
    vi.advanceTimersByTime(1_001);
    expect(cache.peek('one')).toBeUndefined();
    expect(await get('one')).toBeUndefined();
  },
);

it('finds an application whose access is changed while it is read, as it is then', async () => {
  const { cache, feed, hold, store, get } = await start(2, ['one']);
  const { id } = await get('one');
  cache.forget(id);
  const goOn = hold();
  const reading = get('one');
  await store.applications.update(id, { keyRequired: true });
  await feed.renew();
  goOn();
  expect((await reading).keyRequired).toBe(true);
  expect((await get('one')).keyRequired).toBe(true);
});

it('keeps what was read while something else changed', async () => {
  const { feed, hold, store, get } = await start(2, ['one', 'two']);
  const { id } = await get('one');
  const goOn = hold();
  const reading = get('two');
  await store.applications.update(id, { keyRequired: true });
  await feed.renew();
  goOn();
  expect(await get('two')).toBe(await reading);
});

it('keeps nothing that was read while it was told to forget', async () => {
  const { cache, hold, store, get } = await start(2, ['one']);
  const { id } = await get('one');
  cache.forget(id);
  const goOn = hold();
  const reading = get('one');
  await store.applications.update(id, { keyRequired: true });
  cache.forget(id);
  goOn();
  await reading;
  expect((await get('one')).keyRequired).toBe(true);
});
