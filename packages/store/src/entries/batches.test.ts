import { randomBytes } from 'node:crypto';
import { MongoClient } from 'mongodb';
import { expect, it, onTestFinished } from 'vitest';
import { openStore, ownDatabase } from '../../../../test/support/own-database.ts';
import { payloadOf } from '../../../../test/support/payload-of.ts';
import { type BatchRecord, batchStore } from './batches.ts';
import type { NewEntry } from './entries.ts';

const application = 'a0'.repeat(12);

async function start() {
  const { db, url } = await ownDatabase();
  const { prepare, batches, entries, horizon } = openStore(url);
  await prepare();
  const client = await new MongoClient(url).connect();
  onTestFinished(() => client.close());
  // Of the same client as the session.
  const own = batchStore(client.db(), {
    entries,
    horizon,
    timeoutMs: 10_000,
    writer: { write: (store) => store(Date.now), isHeard: () => true },
  });
  const reserve = (record: BatchRecord, atomic = true) =>
    client.withSession((session) =>
      session.withTransaction(async () => (await own.reserve(record, atomic, session)).known),
    );
  const record = { idempotencyHash: randomBytes(16), application, hash: randomBytes(32) };
  async function* chunks(): AsyncGenerator<NewEntry[]> {
    yield [{ application, ...payloadOf({ n: 1 }) }];
  }
  return { db, batches, reserve, record, chunks, stored: () => entries.count(application, {}) };
}

it('a batch is not stored as a whole where a replay stored a line since it was looked up', async () => {
  const { batches, reserve, record, chunks, stored } = await start();
  expect(await batches.lookUp(record)).toEqual({ known: 'first' });
  expect(await reserve(record)).toBe('first');
  expect(await batches.storeAll(chunks, record)).toMatchObject({ known: 'partly' });
  expect(await batches.lookUp(record)).toEqual({ known: 'partly', replays: 1 });
  expect(await reserve(record)).toBe('first');
  expect(await batches.storeAll(chunks, record, 1)).toMatchObject({ known: 'partly' });
  expect(await stored()).toBe(0);
  expect(await batches.storeAll(chunks, record, 2)).toMatchObject({ known: 'first' });
  expect(await stored()).toBe(1);
  expect(await batches.lookUp(record)).toEqual({ known: 'again' });
});

it('a line of a batch that is stored is not stored by a replay, unless each line has a key', async () => {
  const { batches, reserve, record, chunks } = await start();
  expect(await batches.storeAll(chunks, record)).toMatchObject({ known: 'first' });
  expect(await reserve(record)).toBe('again');
  expect(await reserve(record, false)).toBe('first');
  expect(await reserve({ ...record, hash: randomBytes(32) })).toBe('other');
  expect(await batches.lookUp(record)).toEqual({ known: 'again' });
});

it('a batch that is stored in part tells why the rest cannot be stored', async () => {
  const { db, batches, reserve, record, chunks } = await start();
  await reserve(record);
  await db.command({ collMod: 'entries', validator: { never: true } });
  await expect(batches.storeAll(chunks, record, 1)).rejects.toThrow('code 121');
});
