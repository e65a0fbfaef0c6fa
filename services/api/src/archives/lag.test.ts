import { createKeysAt } from '@sluice/store/entries/entry-id.ts';
import { expect, it } from 'vitest';
import { archiveRuns } from '../../../../test/support/archive-runs.ts';
import { lagOf } from './lag.ts';

it('is how long an entry waits, whatever its time', async () => {
  const runs = await archiveRuns();
  const { db, store, application } = runs;
  const archive = await runs.create();
  const lag = async () => lagOf(store.rawEntries, await runs.current(archive));
  const archives = db.collection('archives');
  /** As if the last run and the import had been so many seconds ago. */
  const turnBack = (fields: string[], seconds: number) => {
    const at = new Date(Date.now() - seconds * 1_000);
    return archives.updateOne({}, { $set: Object.fromEntries(fields.map((name) => [name, at])) });
  };
  /** As imports with old times do. */
  async function importOld(): Promise<void> {
    const time = Date.parse('2001-01-01T00:00:00Z');
    const announced = await store.milestones.removeFrom(application, time);
    const _id = createKeysAt()(Buffer.from(application, 'hex'), time);
    await db.collection('entries').insertOne({ _id, payload: { n: 1 }, announced } as never);
  }
  expect(await lag()).toBe(0);
  await importOld();
  await turnBack(['createdAt'], 100);
  expect(await lag()).toBeGreaterThanOrEqual(100);
  expect(await lag()).toBeLessThan(1_000);
  await runs.run(archive);
  expect(await lag()).toBe(0);

  await runs.insert(1);
  await runs.run(archive);
  await turnBack(['lastRun.plannedAt'], 5_000);
  expect(await lag()).toBe(0);
  await importOld();
  expect(await lag()).toBeLessThan(100);
  await turnBack(['late.at'], 1_000);
  expect(await lag()).toBeGreaterThanOrEqual(1_000);
  expect(await lag()).toBeLessThan(5_000);
  await runs.insert(1);
  await runs.run(archive);
  expect(await lag()).toBe(0);
});
