import type { ClaimedChunk } from '@sluice/jobs/record/chunk-records.ts';
import fc from 'fast-check';
import { ObjectId } from 'mongodb';
import { expect, it } from 'vitest';
import { modelEntries } from '../../../../test/support/model-entries.ts';
import { openStore, ownDatabase } from '../../../../test/support/own-database.ts';
import { runs } from '../../../../test/support/runs.ts';
import { inTransaction } from '../in-transaction.ts';
import { horizonStore } from './horizon.ts';
import { milestoneStore } from './milestones.ts';

const spacing = 5;
const before = 1_500;

it('milestones are right, whatever older entries imports store while workers set them', async () => {
  const { db, url } = await ownDatabase();
  const { chunks } = openStore(url);
  const horizon = horizonStore(db);
  const time = fc.integer({ min: 1_000, max: before - 1 });
  const batches = fc.array(fc.array(time, { minLength: 1, maxLength: 12 }), { minLength: 1, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(batches, batches, async (...imports) => {
      const model = await modelEntries(db, { spacing });
      const { application, milestones } = model;
      await model.insert(Array.from({ length: 60 }, (_, n) => 1_000 + 8 * n));
      let writing = imports.length;

      async function write(batches: number[][]): Promise<void> {
        const job = new ObjectId().toHexString();
        await chunks.add({ job, application, seq: 0, lines: 1, part: job, bytes: 1 });
        const chunk = await chunks.claim(job, 60_000);
        if (!chunk) throw new Error('none');
        for (const times of batches) {
          const since = Math.min(...times);
          await milestones.removeFrom(application, since, async (session, version) => {
            expect(await horizon.lower(session, chunk, since, version)).toBe(true);
          });
          await model.insert(times);
        }
        await chunks.commit(chunk.id, chunk.fence, { accepted: 1, rejected: 0 });
        writing -= 1;
      }

      async function set(): Promise<void> {
        const own = milestoneStore(db, spacing);
        while (writing > 0) await own.set(application, before, 40);
      }

      await Promise.all([set(), set(), ...imports.map(write)]);
      const { set: ranks, counted } = await model.ranks();
      expect(ranks).toEqual(counted);
      await milestones.set(application, before, 100);
      expect((await model.ranks()).set).toHaveLength(Math.floor(model.all().length / spacing));
      expect(await milestones.count(application)).toBe(model.all().length);
      const steps = { from: 0, length: 3_600_000, count: 1 };
      expect(await model.entries.sumSteps(application, steps, true, (sender) => sender)).toEqual(
        model.sums(steps),
      );
    }),
    runs(3, 6),
  );
});

it('of a chunk that another worker has, the time is not lowered', async () => {
  const { db, url } = await ownDatabase();
  const { chunks } = openStore(url);
  const horizon = horizonStore(db);
  const job = new ObjectId().toHexString();
  await chunks.add({ job, application: job, seq: 0, lines: 1, part: job, bytes: 1 });
  const chunk = (await chunks.claim(job, 60_000)) as ClaimedChunk;
  const lower = (fence: number) =>
    inTransaction(db, (session) => horizon.lower(session, { id: chunk.id, fence }, 1_000, 1));
  expect(await lower(chunk.fence - 1)).toBe(false);
  const open = () => horizon.of(job, Number.POSITIVE_INFINITY);
  expect(await open()).toBe(chunk.stamp);
  expect(await lower(chunk.fence)).toBe(true);
  expect(await open()).toBe(1_000);
});
