import { createHash } from 'node:crypto';
import type { ExportOptions } from '@sluice/jobs/record/export-record.ts';
import { parse } from 'csv-parse/sync';
import { expect, it } from 'vitest';
import { fileOf } from '../support/export-client.ts';
import { claim, createClaimed, writerOn } from '../support/export-writer.ts';
import { openStore, ownDatabase } from '../support/own-database.ts';
import { payloadOf } from '../support/payload-of.ts';
import { unzip } from '../support/unzip.ts';

const owner = { id: 'b'.repeat(24), username: 'b' };
const rawSchema = JSON.stringify({ type: 'object', properties: { n: { type: 'integer' } } });
/** In several pages, of which the first has 200. */
const count = 3_000;
const text = (n: number) => createHash('sha256').update(`${n}`).digest('hex').repeat(40);

/** An export during which every third entry that is still there is deleted, whenever it has read so many pages more. */
async function exportAmidDeletions(options: Partial<ExportOptions>, everyPages: number) {
  const { db, url } = await ownDatabase();
  const store = openStore(url);
  const fields = { name: 'a', type: 'other', connectors: [], rawSchema, domain: 'a-abc234', owner };
  const application = (await store.applications.create(fields))?.id as string;
  for (let first = 0; first < count; first += 500)
    await store.entries.insert(
      Array.from({ length: 500 }, (_, i) => {
        const n = first + i;
        return {
          application,
          version: 1,
          ...payloadOf({
            n,
            text: text(n),
            items: [
              { of: n, at: 0 },
              { of: n, at: 1 },
            ],
          }),
        };
      }),
    );
  const recorded = ['/text', '/items'];
  await store.fields.add(application, recorded);
  let pages = 0;

  async function deleteSome(): Promise<void> {
    const found = await db.collection('entries').find().sort({ _id: 1 }).project({ _id: 1 }).toArray();
    const chosen = found.filter((_, i) => i % 3 === 0).map(({ _id }) => _id);
    await store.deletions.remove(application, { _id: { $in: chosen } });
  }

  const rawEntries: typeof store.rawEntries = {
    ...store.rawEntries,
    async page(...args) {
      const page = await store.rawEntries.page(...args);
      pages += 1;
      if (pages % everyPages === 0 && pages <= 4 * everyPages) await deleteSome();
      return page;
    },
  };
  const job = await createClaimed(
    store,
    {
      application,
      owner: owner.id,
      domain: fields.domain,
      options: { format: 'csv', formulas: 'escape', arrays: 'json', ...options },
      cut: (await store.rawEntries.cut(application)).until,
      version: 1,
      leafCount: recorded.length,
      transient: false,
    },
    600_000,
  );
  const manifest = await writerOn({ ...store, rawEntries })(job, claim);
  const left = await db.collection('entries').find().sort({ _id: 1 }).toArray();
  const seen = await store.jobs.get(job.id);
  return { manifest, seen, left, file: await fileOf(store, job.id) };
}

/** Ascending, each once. */
function expectInOrder(numbers: number[]) {
  expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
}

it.each([2, 3, 5])('a CSV has each entry that stays, once and in its row (every %i pages)', async (every) => {
  const { file, left, seen, manifest } = await exportAmidDeletions({ arrays: 'columns' }, every);
  const rows: Record<string, string>[] = parse(file, { columns: true });
  const numbers = rows.map(({ n }) => Number(n));
  expectInOrder(numbers);
  expect(manifest.rows).toBe(rows.length);
  expect(numbers).toEqual(expect.arrayContaining(left.map(({ payload }) => payload.n)));
  for (const row of rows) {
    expect(row.text).toBe(text(Number(row.n)));
    expect([row['items.0.of'], row['items.1.of']]).toEqual([row.n, row.n]);
  }
  expect(seen).toMatchObject({ deletedMeanwhile: true });
});

it.each([2, 3, 5])(
  'tables name entries by their ids, whatever goes between them (every %i pages)',
  async (every) => {
    const { file, left } = await exportAmidDeletions({ arrays: 'rows' }, every);
    const files = await unzip(file);
    const table = (name: string): Record<string, string>[] =>
      parse(files.get(name) as string, { columns: true });
    const [entries, items] = [table('entries.csv'), table('items.csv')];
    expectInOrder(entries.map(({ n }) => Number(n)));
    expect(entries.map(({ n }) => Number(n))).toEqual(
      expect.arrayContaining(left.map(({ payload }) => payload.n)),
    );
    const numberOf = new Map(entries.map(({ entry, n }) => [entry, n]));
    expect(numberOf.size).toBe(entries.length);
    // An entry that went after the first table is in that one alone.
    for (const item of items) expect(item.of).toBe(numberOf.get(item.entry));
    for (const { payload } of left)
      expect(items.filter((item) => item.of === String(payload.n)).map((item) => item.index)).toEqual([
        '0',
        '1',
      ]);
  },
);

it('NDJSON and Parquet are made', async () => {
  const ndjson = await exportAmidDeletions({ format: 'ndjson' }, 2);
  const lines = ndjson.file.toString().trimEnd().split('\n');
  expectInOrder(lines.map((line) => JSON.parse(line).payload.n));
  const parquet = await exportAmidDeletions({ format: 'parquet' }, 2);
  expect(parquet.manifest.rows).toBeGreaterThanOrEqual(parquet.left.length);
  expect(parquet.file.subarray(0, 4).toString()).toBe('PAR1');
});
