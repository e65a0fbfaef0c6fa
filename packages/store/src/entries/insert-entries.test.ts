import { randomBytes } from 'node:crypto';
import { MongoClient } from 'mongodb';
import { describe, expect, it, onTestFinished } from 'vitest';
import { entriesIn } from '../../../../test/support/model-entries.ts';
import { openStore, ownDatabase } from '../../../../test/support/own-database.ts';
import { payloadOf } from '../../../../test/support/payload-of.ts';
import type { EntryDocument } from './entry-document.ts';
import { horizonStore } from './horizon.ts';
import type { NewEntry } from './insert-entries.ts';
import { createWriter } from './writer.ts';

const application = 'a0'.repeat(12);
const key = () => randomBytes(16);
const written = (json: string, idempotencyHash?: Buffer): NewEntry => ({
  application,
  ...payloadOf(json),
  once: idempotencyHash && [idempotencyHash],
});
const entry = (payload: object, idempotencyHash?: Buffer) =>
  written(JSON.stringify(payload), idempotencyHash);

async function start() {
  const { db, url } = await ownDatabase();
  return { db, url, ...openStore(url), stored: db.collection<EntryDocument>('entries') };
}

describe('an insert', () => {
  it('stores each entry, in the order given, with one time for all', async () => {
    const { entries } = await start();
    const batch = Array.from({ length: 300 }, (_, n) => entry({ n }));
    const before = Date.now();
    expect(new Set(await entries.insert(batch))).toEqual(new Set(['stored']));
    const { entries: found } = await entries.page(application, { start: 0, limit: 1_000 });
    expect(found.map(({ payload }) => payload.n)).toEqual(batch.map((_, n) => 299 - n));
    const times = new Set(found.map(({ createdAt }) => createdAt.getTime()));
    expect([...times]).toEqual([expect.toSatisfy((time) => time >= before && time <= Date.now())]);
  });

  it('stores one of the entries with one `once`, also when they come in one command', async () => {
    const { entries, stored } = await start();
    const [one, other] = [key(), key()];
    const batch = [
      entry({ a: 1 }, one),
      entry({ b: 1 }),
      entry({ a: 1 }, one),
      entry({ a: 2 }, one),
      entry({ a: 1 }, other),
      entry({ b: 1 }),
    ];
    expect(await entries.insert(batch)).toEqual([
      ...['stored', 'stored', 'repeated', 'conflicting', 'stored', 'stored'],
    ]);
    const again = ['repeated', 'stored', 'repeated', 'conflicting', 'repeated', 'stored'];
    expect(await entries.insert(batch)).toEqual(again);
    expect(await stored.countDocuments({})).toBe(6);
    expect(await stored.countDocuments({ 'payload.a': 2 })).toBe(0);
  });

  it('stores one of many that come at once by way of two processes', async () => {
    const { entries, url, stored } = await start();
    const others = openStore(url).entries;
    const idempotencyHash = key();
    const inserts = Array.from({ length: 40 }, (_, n) =>
      (n % 2 ? entries : others).insert([entry({ n }), entry({ same: true }, idempotencyHash)]),
    );
    const outcomes = (await Promise.all(inserts)).map(([first, second]) => `${first} ${second}`);
    expect(outcomes.sort()).toEqual([...Array(39).fill('stored repeated'), 'stored stored']);
    expect(await stored.countDocuments({ 'payload.same': true })).toBe(1);
    expect(await stored.countDocuments({})).toBe(41);
  });

  it('tells which entry MongoDB did not take, and stores the others', async () => {
    const { db, entries, stored } = await start();
    await entries.prepare();
    await db.command({ collMod: 'entries', validator: { 'payload.no': { $exists: false } } });
    expect(await entries.insert([entry({ a: 1 }), entry({ no: 1 }), entry({ a: 2 })])).toEqual([
      ...['stored', 'refused', 'stored'],
    ]);
    expect(await stored.countDocuments({})).toBe(2);
  });

  it.each([
    ['the same text', '{"a":[1,{"b":null}]}', '{"a":[1,{"b":null}]}'],
    ['keys in another order', '{"a":{"x":1,"y":2},"b":3}', '{"b":3,"a":{"y":2,"x":1}}'],
    ['keys that look like numbers', '{"2":1,"1":2}', '{"1":2,"2":1}'],
    ['a number written otherwise', '{"a":100,"b":0.5}', '{"a":1.00e2,"b":5e-1}'],
    ['zero and minus zero', '{"a":0}', '{"a":-0}'],
    ['minus zero and zero', '{"a":-0}', '{"a":0}'],
    ['a reference', '{"x":{"$ref":"a","$id":1}}', '{"x":{"$id":1,"$ref":"a"}}'],
    [
      'a reference with more',
      '{"$ref":"a","$id":{"b":2},"$db":"c","m":[1]}',
      '{"$ref":"a","$id":{"b":2},"$db":"c","m":[1]}',
    ],
    ['a reference to no database', '{"$ref":"a","$id":1,"$db":null}', '{"$db":null,"$ref":"a","$id":1}'],
    [
      'extended JSON',
      '{"$numberLong":"5","$oid":"0123456789abcdef01234567"}',
      '{"$oid":"0123456789abcdef01234567","$numberLong":"5"}',
    ],
    [
      'large and small numbers',
      '{"a":[9007199254740991,-9007199254740991,1e308,5e-324]}',
      '{"a":[9007199254740991,-9007199254740991,1e308,5e-324]}',
    ],
    [
      'hostile names',
      '{"toString":1,"constructor":{},"toJSON":2,"":3,"$a.b":4}',
      '{"constructor":{},"":3,"$a.b":4,"toJSON":2,"toString":1}',
    ],
    ['nothing', '{}', ' { } '],
  ])('takes %s for the same', async (_what, first, second) => {
    const { entries, stored } = await start();
    const idempotencyHash = key();
    expect(await entries.insert([written(first, idempotencyHash)])).toEqual(['stored']);
    expect(await entries.insert([written(second, idempotencyHash)])).toEqual(['repeated']);
    expect(await stored.countDocuments({})).toBe(1);
  });

  it.each([
    ['another value', '{"a":1}', '{"a":2}'],
    ['another type', '{"a":1}', '{"a":"1"}'],
    ['a member more', '{"a":1}', '{"a":1,"b":1}'],
    ['a member less', '{"a":1,"b":null}', '{"a":1}'],
    ['a list in another order', '{"a":[1,2]}', '{"a":[2,1]}'],
    ['a list for an object', '{"a":{"0":1}}', '{"a":[1]}'],
    ['an empty list for an empty object', '{"a":{}}', '{"a":[]}'],
    ['letters in another case', '{"a":"x"}', '{"a":"X"}'],
    ['another reference', '{"a":{"$ref":"a","$id":1}}', '{"a":{"$ref":"b","$id":1}}'],
    ['a reference with a database', '{"a":{"$ref":"a","$id":1}}', '{"a":{"$ref":"a","$id":1,"$db":null}}'],
    ['the next number', '{"a":9007199254740991}', '{"a":9007199254740990}'],
  ])('takes %s for another payload', async (_what, first, second) => {
    const { entries, stored } = await start();
    const idempotencyHash = key();
    await entries.insert([written(first, idempotencyHash)]);
    expect(await entries.insert([written(second, idempotencyHash)])).toEqual(['conflicting']);
    expect(await stored.countDocuments({})).toBe(1);
  });
});

describe('as a part of a transaction', () => {
  async function startWithin() {
    const { db, url, stored } = await start();
    const client = new MongoClient(url, { writeConcern: { w: 'majority', journal: true } });
    onTestFinished(() => client.close());
    const entries = entriesIn(client.db(), {});
    await entries.prepare();
    const writer = createWriter(horizonStore(client.db()));
    onTestFinished(writer.close);
    const within = (...batches: NewEntry[][]) =>
      writer.write((now) =>
        client.withSession((session) =>
          session.withTransaction(async () => {
            const outcomes = [];
            for (const batch of batches) outcomes.push(await entries.insertWithin(batch, now(), session));
            return outcomes;
          }),
        ),
      );
    return { db, within, stored };
  }

  it('stores all or nothing', async () => {
    const { db, within, stored } = await startWithin();
    await within([entry({ n: 1 }), entry({ n: 2 })], [entry({ n: 3 })]);
    expect(await stored.countDocuments({})).toBe(3);
    await db.command({ collMod: 'entries', validator: { 'payload.n': { $ne: 6 } } });
    await expect(within([entry({ n: 4 })], [entry({ n: 5 }), entry({ n: 6 })])).rejects.toThrow('code 121');
    expect(await stored.countDocuments({})).toBe(3);
  });

  it('stores one of the entries with one `once`', async () => {
    const { within, stored } = await startWithin();
    const [one, other] = [key(), key()];
    const batch = [entry({ a: 1 }, one), entry({ b: 1 }), entry({ a: 1 }, one), entry({ a: 2 }, one)];
    const first = ['stored', 'stored', 'repeated', 'conflicting'];
    expect(await within(batch, [entry({ a: 1 }, one)])).toEqual([first, ['repeated']]);
    const again = [entry({ a: 1 }, one), entry({ a: 2 }, one), entry({ a: 1 }, other)];
    expect(await within(again)).toEqual([['repeated', 'conflicting', 'stored']]);
    expect(await stored.countDocuments({})).toBe(3);
  });

  it('stores one of the entries with one `once` that come at once', async () => {
    const { within, stored } = await startWithin();
    const idempotencyHash = key();
    const all = await Promise.all(
      Array.from({ length: 10 }, () => within([entry({ a: 1 }, idempotencyHash)])),
    );
    expect(all.flat(2).sort()).toEqual([...Array(9).fill('repeated'), 'stored']);
    expect(await stored.countDocuments({})).toBe(1);
  });
});

describe('the collection', () => {
  it('is clustered, whoever makes it first', async () => {
    const { db, url, entries } = await start();
    await Promise.all([
      entries.insert([entry({ n: 1 })]),
      openStore(url).prepare(),
      openStore(url).prepare(),
    ]);
    const [found] = await db.listCollections({ name: 'entries' }).toArray();
    expect(found).toMatchObject({ options: { clusteredIndex: { key: { _id: 1 }, unique: true } } });
  });

  it('is refused when somebody else made it, and made when it is gone', async () => {
    const { db, entries } = await start();
    await db.createCollection('entries');
    for (const attempt of [entries.prepare(), entries.insert([entry({ n: 1 })])])
      await expect(attempt).rejects.toThrow(
        'the collection "entries" was not made by this version of Sluice: use a new database',
      );
    await db.dropCollection('entries');
    expect(await entries.insert([entry({ n: 1 })])).toEqual(['stored']);
  });
});
