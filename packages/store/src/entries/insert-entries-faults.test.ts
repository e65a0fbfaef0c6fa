import { randomBytes } from 'node:crypto';
import { Binary, MongoClient } from 'mongodb';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createCuttableProxy } from '../../../../test/support/cuttable-proxy.ts';
import { openStore, ownDatabase, throughProxy } from '../../../../test/support/own-database.ts';
import { payloadOf } from '../../../../test/support/payload-of.ts';
import { until } from '../../../../test/support/sluice.ts';
import { storeFault } from '../faults.ts';
import { createCompare } from './compare-entries.ts';
import type { EntryDocument } from './entry-document.ts';
import { createKeysAt, timeOfKey } from './entry-id.ts';
import { createInsert, type NewEntry } from './insert-entries.ts';

const application = 'a0'.repeat(12);
const entry = (payload: object, idempotencyHash?: Buffer): NewEntry => ({
  application,
  ...payloadOf(payload),
  once: idempotencyHash && [idempotencyHash],
});
/** What the store says of the fault; fails when there was none. */
const faultOf = (work: Promise<unknown>) =>
  work.then((outcome) => expect.fail(`no fault, but ${outcome}`), storeFault);

/** What work comes to that changes nothing while MongoDB is away, once it is there. */
async function untilBack<T>(work: () => Promise<T>): Promise<T> {
  const results: T[] = [];
  await until(async () => {
    try {
      return results.push(await work()) > 0;
    } catch (error) {
      if (storeFault(error) !== 'away') throw error;
      return false;
    }
  });
  return results[0] as T;
}

/** A store behind a proxy that has been in use; and the collection, seen past the proxy. */
async function start(timeoutMs = 10_000) {
  const { db, url } = await ownDatabase();
  const { hostname, port } = new URL(url);
  const proxy = await createCuttableProxy({ host: hostname, port: Number(port || 27017) });
  onTestFinished(proxy.close);
  // With time enough: indexes take longer than the time limit of some tests.
  await openStore(url).entries.prepare();
  const { entries } = openStore(throughProxy(url, proxy), timeoutMs);
  await untilBack(() => entries.count(application, {}));
  return { proxy, entries, stored: db.collection<EntryDocument>('entries') };
}

describe('a write concern that is not reached', () => {
  it('rejects, the outcome unknown: it was written, but may be lost', async () => {
    const { db, url } = await ownDatabase();
    await openStore(url).entries.prepare();
    const client = new MongoClient(url, { writeConcern: { w: 3, journal: true, wtimeoutMS: 100 } });
    onTestFinished(() => client.close());
    const entries = client.db().collection<EntryDocument>('entries');
    const { insert } = createInsert({
      db: client.db(),
      entries,
      prepare: async () => ({ fields: ['_id', 'once'] }),
      compare: createCompare(entries),
      newKey: createKeysAt(),
      writer: { write: (store) => store(Date.now) },
      timeoutMs: 10_000,
    });
    expect(await faultOf(insert([entry({ a: 1 }), entry({ a: 2 }, randomBytes(16))]))).toBe('unknown');
    expect(await db.collection('entries').countDocuments({})).toBe(2);
  });
});

describe.each([
  ['without a key', undefined],
  ['with a key', randomBytes(16)],
])('an entry %s', (_what, idempotencyHash) => {
  it('is not stored while MongoDB is away, and is when it is back', async () => {
    const { proxy, entries, stored } = await start(2_000);
    await proxy.cut();
    expect(['away', 'unknown']).toContain(await faultOf(entries.insert([entry({ a: 1 }, idempotencyHash)])));
    expect(await faultOf(entries.insert([entry({ a: 1 }, idempotencyHash)]))).toBe('away');
    await proxy.restore();
    expect(await stored.countDocuments({})).toBe(0);
    expect(await untilBack(() => entries.insert([entry({ a: 1 }, idempotencyHash)]))).toEqual(['stored']);
    expect(await stored.countDocuments({})).toBe(1);
  });

  it('is not told to be stored while MongoDB does not answer', async () => {
    const { proxy, entries, stored } = await start(2_000);
    proxy.stall();
    expect(await faultOf(entries.insert([entry({ a: 1 }, idempotencyHash)]))).toBe('unknown');
    await proxy.restore();
    expect(await stored.countDocuments({})).toBeLessThanOrEqual(1);
  });

  it('is confirmed, and stored once, when the answer to its command is lost', async () => {
    const { proxy, entries, stored } = await start();
    const trap = proxy.loseAnswerTo('the marker');
    const batch = [entry({ n: 1 }), entry({ n: 2, of: 'the marker' }, idempotencyHash), entry({ n: 3 })];
    const outcomes = await entries.insert(batch);
    expect(outcomes).toEqual([
      ...Array(3).fill(expect.toSatisfy((one) => one === 'stored' || one === 'repeated')),
    ]);
    expect(trap.left).toBe(0);
    expect((await stored.find().toArray()).map(({ payload }) => payload.n).sort()).toEqual([1, 2, 3]);
  });

  it('is in doubt when the answer is lost twice, and yet stored once', async () => {
    const { proxy, entries, stored } = await start();
    const trap = proxy.loseAnswerTo('the marker', 2);
    const batch = [entry({ of: 'the marker' }, idempotencyHash)];
    expect(await faultOf(entries.insert(batch))).toBe('unknown');
    expect(trap.left).toBe(0);
    expect(await stored.countDocuments({})).toBe(1);
  });

  it('is not stored when MongoDB goes away with the command', async () => {
    const { proxy, entries, stored } = await start(2_000);
    const trap = proxy.cutWhenSent('the marker');
    const batch = [entry({ of: 'the marker' }, idempotencyHash)];
    expect(await faultOf(entries.insert(batch))).toBe('unknown');
    expect(trap.left).toBe(0);
    expect(await stored.countDocuments({})).toBe(0);
    await proxy.restore();
    // The first insert may still store its entry: it was told to be unknown.
    const [outcome] = await untilBack(() => entries.insert(batch));
    expect(idempotencyHash ? ['stored', 'repeated'] : ['stored']).toContain(outcome);
    expect(idempotencyHash ? [1] : [1, 2]).toContain(await stored.countDocuments({}));
  });
});

describe('after an insert in doubt', () => {
  it.each([
    ['a retry with the same key finds the entry', 'x', 'repeated'],
    ['another payload with the same key conflicts with it', 'y', 'conflicting'],
  ])('%s', async (_what, value, outcome) => {
    const { proxy, entries, stored } = await start();
    const idempotencyHash = randomBytes(16);
    proxy.loseAnswerTo('the marker', 2);
    await faultOf(entries.insert([entry({ of: 'the marker', value: 'x' }, idempotencyHash)]));
    expect(await entries.insert([entry({ of: 'the marker', value }, idempotencyHash)])).toEqual([outcome]);
    expect(await stored.countDocuments({ once: new Binary(idempotencyHash) })).toBe(1);
  });

  it('a conflict in the same command is still told, and the neighbours are confirmed', async () => {
    const { proxy, entries, stored } = await start();
    const idempotencyHash = randomBytes(16);
    await entries.insert([entry({ n: 0 }, idempotencyHash)]);
    proxy.loseAnswerTo('the marker');
    const batch = [entry({ n: 1 }), entry({ n: 2, of: 'the marker' }, idempotencyHash), entry({ n: 3 })];
    const confirmed = expect.toSatisfy((one) => one === 'stored' || one === 'repeated');
    expect(await entries.insert(batch)).toEqual([confirmed, 'conflicting', confirmed]);
    expect((await stored.find().toArray()).map(({ payload }) => payload.n).sort()).toEqual([0, 1, 3]);
  });
});

it("an entry has MongoDB's time, also when the answer with this time was lost and the driver asked again", async () => {
  const { db, url } = await ownDatabase();
  const { hostname, port } = new URL(url);
  const proxy = await createCuttableProxy({ host: hostname, port: Number(port || 27017) });
  onTestFinished(proxy.close);
  const { entries, horizon } = openStore(throughProxy(url, proxy));
  await entries.prepare();
  const before = await horizon.confirm();
  const trap = proxy.loseAnswerTo('findAndModify');
  expect(await entries.insert([entry({ n: 1 })])).toEqual(['stored']);
  expect(trap.left).toBe(0);
  const stored = await db.collection<EntryDocument>('entries').findOne({});
  expect(timeOfKey(stored?._id as Binary)).toBeGreaterThanOrEqual(before);
  const again = proxy.loseAnswerTo('findAndModify');
  expect(await horizon.confirm()).toBeGreaterThanOrEqual(before);
  expect(again.left).toBe(0);
});
