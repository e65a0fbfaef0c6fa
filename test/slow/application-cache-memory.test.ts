import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createApplicationCache } from '@sluice/api/known/applications.ts';
import { createFeed } from '@sluice/api/known/feed.ts';
import { createCompiler } from '@sluice/schemas/compile/compiler.ts';
import { createLogger } from '@sluice/shared/logger.ts';
import { expect, it, onTestFinished } from 'vitest';
import { openStore, ownDatabase } from '../support/own-database.ts';
import { quietExplainer } from '../support/quiet-explainer.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** What is left when the engine has given up the code that it kept for a while: it does so after some collections. */
function heapBytes(): number {
  for (let i = 0; i < 10; i++) collect();
  return process.memoryUsage().heapUsed;
}

const atOnce = 20;
/** 500 schemas that were kept would take twice this. */
const growthBytes = 2 * 1024 * 1024;

it('holds no more after 1,000 applications than after 500', async () => {
  const { url } = await ownDatabase();
  const store = openStore(url);
  const compiler = createCompiler();
  const log = createLogger('test', { level: 'silent', pretty: false });
  await store.prepare();
  const feed = createFeed(store.changes, log);
  const explainer = quietExplainer();
  const cache = createApplicationCache({ ...store, compiler, explainer, feed, memory: 300_000 });
  onTestFinished(async () => {
    feed.close();
    await compiler.close();
  });

  /** Its schema is like no other. */
  async function useOne(i: number): Promise<void> {
    const name = `p${i}`;
    const schema = { type: 'object', properties: { [name]: { type: 'string', maxLength: i } } };
    await store.applications.create({
      owner: { id: '0'.repeat(24), username: 'ada' },
      name,
      domain: name,
      type: 'other',
      connectors: [],
      rawSchema: JSON.stringify(schema),
    });
    const application = await cache.get(name);
    expect(application?.schema.judge({ [name]: 'x'.repeat(i) })).toBe('conforms');
  }
  async function use(from: number, to: number): Promise<void> {
    for (let at = from; at < to; at += atOnce)
      await Promise.all(Array.from({ length: atOnce }, (_, i) => useOne(at + i)));
  }

  await use(0, 500);
  const before = heapBytes();
  await use(500, 1_000);
  expect(heapBytes() - before).toBeLessThan(growthBytes);
}, 240_000);
