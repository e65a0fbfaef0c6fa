import { expect, it } from 'vitest';
import { ownDatabase } from '../support/own-database.ts';
import { exitOf, run } from '../support/service-process.ts';
import { ownStores } from '../support/sluice.ts';

it.each(['api', 'ingest-worker', 'export-worker'])(
  '%s refuses the database of a newer Sluice in one clear line, and ends',
  async (service) => {
    const { db, url: MONGODB_URL } = await ownDatabase();
    const operations = db.collection<{ _id: string; version: number }>('operations');
    await operations.insertOne({ _id: 'schema', version: 1_000 });
    const { child, output } = run(service, { ...ownStores(), MONGODB_URL, LOG_LEVEL: 'error' });
    expect(await exitOf(child)).toBe(1);
    expect(output.text.trim().split('\n')).toEqual([
      expect.stringMatching(
        /the database has version 1000, but Sluice .* knows only version 1: start the newer/,
      ),
    ]);
    expect((await db.listCollections().toArray()).map(({ name }) => name)).toEqual(['operations']);
  },
);
