import { createCompiler } from '@sluice/schemas/compile/compiler.ts';
import { createLogger } from '@sluice/shared/logger.ts';
import { expect, it, onTestFinished, vi } from 'vitest';
import { openStore, ownDatabase } from '../../../../test/support/own-database.ts';
import { type CachedApplication, createApplicationCache } from './cache.ts';

/** An application with such a schema takes somewhat less. */
const bytesOfOne = 5_000;

/** A cache for so many applications, and applications in a database of its own. */
async function start(size: number, domains: string[]) {
  const store = openStore((await ownDatabase()).url);
  await store.prepare();
  const owner = { id: 'a0'.repeat(12), username: 'owner' };
  const fields = { owner, name: 'Test', type: 'other', connectors: [], rawSchema: '{"type":"object"}' };
  for (const domain of domains) await store.applications.create({ ...fields, domain });
  const compiler = createCompiler({ deadlineMs: 60_000 });
  onTestFinished(compiler.close);
  const log = createLogger('test', { level: 'silent', pretty: false });
  const cache = createApplicationCache({ ...store, compiler, log, memory: size * bytesOfOne });
  onTestFinished(cache.close);
  return {
    cache,
    store,
    owner,
    get: async (domain: string) => (await cache.get(domain)) as CachedApplication,
  };
}

it('holds the applications that were used last, and no more than its size', async () => {
  const { get } = await start(2, ['one', 'two', 'three']);
  const [one, two, three] = [await get('one'), await get('two'), await get('three')];
  expect(await get('two')).toBe(two);
  expect(await get('three')).toBe(three);
  expect(await get('one')).not.toBe(one);
});

it('forgets an application that it is told to drop, and no other', async () => {
  const { cache, get } = await start(2, ['one', 'two']);
  const [one, two] = [await get('one'), await get('two')];
  cache.drop(one.id);
  expect(await get('two')).toBe(two);
  expect(await get('one')).not.toBe(one);
});

it.each([
  ['goes on', 0],
  ['is set back by an hour', -3_600_000],
])(
  'takes nothing on knowledge older than a second, also where nobody tells that the application is gone and the clock %s',
  async (_how, stepMs) => {
    vi.useFakeTimers({ toFake: ['Date', 'performance', 'setInterval', 'clearInterval'] });
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

it('finds an application whose access is changed while it is looked at', async () => {
  const { cache, get } = await start(2, ['one']);
  const one = await get('one');
  // Older than what is taken without another look.
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  vi.advanceTimersByTime(1_001);
  const asked = get('one');
  cache.drop(one.id);
  expect(await asked).toMatchObject({ id: one.id, domain: 'one' });
});
