import type { Store } from '@sluice/jobs/connect.ts';
import type { Binary, Db } from 'mongodb';
import { expect, onTestFinished } from 'vitest';
import { expectedCsv, expectSwept, firstDifference, numbersIn, sha256 } from '../export-client.ts';
import type { Told } from '../job-world.ts';
import type { LogLine } from '../worker-process.ts';

interface Reading {
  ts: Date;
  nreturned: number;
  command: { filter: { $and: { _id: Record<string, Binary> }[] } };
}

/** MongoDB writes down what workers read of the entries from now on. */
export async function watchReadings(db: Db): Promise<() => Promise<Reading[]>> {
  await db.createCollection('system.profile', { capped: true, size: 64 * 1024 ** 2 }).catch(() => {});
  await db.command({ profile: 1, filter: { ns: `${db.databaseName}.entries`, 'command.find': 'entries' } });
  onTestFinished(async () => void (await db.command({ profile: 0 })));
  return () =>
    db
      .collection<Reading>('system.profile')
      .find({ appName: `sluice-export-worker/${db.databaseName}` })
      .sort({ ts: 1 })
      .toArray();
}

interface Exported {
  db: Db;
  store: Pick<Store, 'jobs'>;
  id: string;
  count: number;
  told: Told;
  text: string;
  lines: LogLine[];
  kills: number;
  readings: Reading[];
}

/** The file has every entry once, and each worker began behind what was committed. */
export async function expectExported({ db, store, id, count, told, text, ...run }: Exported): Promise<void> {
  const expected = await expectedCsv(db);
  expect(told).toMatchObject({ state: 'completed', progress: { done: count, total: count } });
  expect(numbersIn(text)).toEqual(Array.from({ length: count }, (_, n) => n));
  expect(firstDifference(text, expected)).toBeUndefined();
  const rows = expected.split('\r\n');
  expect(told.file).toMatchObject({
    rows: count,
    bytes: Buffer.byteLength(expected),
    sha256: sha256(expected),
    firstCreatedAt: rows[1]?.split(',')[0],
    lastCreatedAt: rows.at(-2)?.split(',')[0],
  });
  await expectSwept(db, store, id);
  await expectReadOnce(db, count, run);
}

async function expectReadOnce(
  db: Db,
  count: number,
  { lines, kills, readings }: Pick<Exported, 'lines' | 'kills' | 'readings'>,
): Promise<void> {
  // Every kill made another worker take the job, and it found more done than the one before.
  const begun = lines.filter(({ event }) => event === 'export.began').sort((a, b) => a.fence - b.fence);
  expect(begun).toHaveLength(kills + 1);
  expect(begun.map(({ done }) => done)).toEqual(
    [...new Set(begun.map(({ done }) => done as number))].sort((a, b) => a - b),
  );
  // What MongoDB was asked for by each: nothing that had been committed before.
  const keys = await db
    .collection<{ _id: Binary }>('entries')
    .find()
    .project<{ _id: Binary }>({ _id: 1 })
    .sort({ _id: 1 })
    .toArray();
  // The id of the application, and the lowest of its entries.
  const lowest = keys[0]?._id.toString('hex').slice(0, 24).padEnd(52, '0');
  const beganAt = (place: number): number => begun[place]?.time ?? Number.POSITIVE_INFINITY;
  const again = begun.map(({ done }, place) => {
    const mine = readings.filter(
      ({ ts }) => ts.getTime() >= beganAt(place) && ts.getTime() < beganAt(place + 1),
    );
    expect(mine.length).toBeGreaterThan(0);
    const after = mine[0]?.command.filter.$and.find(({ _id }) => _id.$gt)?._id.$gt;
    expect(after?.toString('hex')).toBe(done === 0 ? lowest : keys[done - 1]?._id.toString('hex'));
    const read = mine.reduce((sum, { nreturned }) => sum + nreturned, 0);
    return read - ((begun[place + 1]?.done ?? count) - done);
  });
  expect(again.at(-1)).toBe(0);
  expect(again.every((rows) => rows >= 0)).toBe(true);
  console.log(`${kills} kills; of ${count} entries were read again: ${again.join(', ')}`);
}
