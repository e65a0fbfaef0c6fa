import fc from 'fast-check';
import { Binary, type Document } from 'mongodb';
import { expect, it } from 'vitest';
import { openStore, ownDatabase } from '../../../../test/support/own-database.ts';
import { runs } from '../../../../test/support/runs.ts';
import type { EntryDocument } from './entry-document.ts';
import { findKeys, nearKeys } from './near-keys.ts';

/** Of two applications, milliseconds and processes. */
const key = fc
  .record({
    application: fc.constantFrom('a', 'b'),
    time: fc.constantFrom('0', '1'),
    process: fc.constantFrom('0', '1'),
    count: fc.oneof(fc.nat(300), fc.nat(0xffff_ffff)),
  })
  .map(
    ({ application, time, process, count }) =>
      application.repeat(24) +
      time.padStart(12, '0') +
      process.repeat(8) +
      count.toString(16).padStart(8, '0'),
  );
const keys = fc.uniqueArray(key, { minLength: 1, maxLength: 100 });

it('finds entries by their keys, and looks at few others', async () => {
  const { db, url } = await ownDatabase();
  await openStore(url).entries.prepare();
  const entries = db.collection<EntryDocument>('entries');
  const binary = (hex: string) => new Binary(Buffer.from(hex, 'hex'));
  await fc.assert(
    fc.asyncProperty(keys, keys, async (stored, others) => {
      await entries.deleteMany({});
      await entries.insertMany(stored.map((hex) => ({ _id: binary(hex), payload: {} })));
      const asked = [...stored.filter((_, at) => at % 3 === 0), ...others];
      const known = new Set(stored);
      const found = await Array.fromAsync(findKeys(entries, asked.map(binary), {}), ({ _id }) =>
        _id.toString('hex'),
      );
      expect(found).toEqual([...new Set(asked.filter((hex) => known.has(hex)))].toSorted());

      for (const near of nearKeys(asked.map(binary))) {
        const { executionStats } = await entries.find(near).explain('executionStats');
        const { $gte, $lte } = near._id as unknown as Record<'$gte' | '$lte', Binary | undefined>;
        const [first, last] = [$gte ?? near._id, $lte ?? near._id].map((each) =>
          (each as Binary).toString('hex'),
        );
        const between = stored.filter((hex) => hex >= (first as string) && hex <= (last as string));
        // MongoDB may look at one on each side.
        expect((executionStats as Document).totalDocsExamined).toBeLessThanOrEqual(between.length + 2);
        expect(between.length).toBeLessThanOrEqual(asked.length * 100);
      }
    }),
    runs(10, 20),
  );
});
