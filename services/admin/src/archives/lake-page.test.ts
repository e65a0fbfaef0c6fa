import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { folderStore } from '@sluice/objects/folder-store.ts';
import { expect, it, onTestFinished } from 'vitest';
import { archiveRuns, ownFolder } from '../../../../test/support/archive-runs.ts';
import { compact } from './compact.ts';
import { openDuck } from './open-duck.ts';

const page = readFileSync(join(import.meta.dirname, '../../../../docs/lake.md'), 'utf8');
const [view = '', query = '', elements = '', ...ofFormats] = Array.from(
  page.matchAll(/```sql\n(.*?)\n```/gs),
  ([, sql]) => sql as string,
);

const lineOf = {
  parquet: undefined,
  csv: ofFormats.find((sql) => sql.includes('read_csv')),
  ndjson: ofFormats.find((sql) => sql.includes('read_json')),
};

/** DuckDB with what makes the view of the page. */
async function reader({ folder }: { folder: string }, format: keyof typeof lineOf) {
  const duck = await openDuck(ownFolder());
  onTestFinished(duck.close);
  const lines = view.split('\n');
  const at = lines.findIndex((line) => line.includes('read_parquet'));
  const sql = lines.with(at, lineOf[format] ?? (lines[at] as string)).join('\n');
  return { rows: duck.rows, create: () => duck.run(sql.replaceAll('DOMAIN', folder)) };
}

it.each(['parquet', 'csv', 'ndjson'] as const)('the SQL of docs/lake.md reads %s', async (format) => {
  const runs = await archiveRuns();
  const { store, application, root, domain } = runs;
  const archive = await runs.create({ format });
  await runs.insert(500);
  await runs.run(archive);
  const { rows, create } = await reader(runs, format);
  const ids = async () => {
    await create();
    return (await rows('SELECT id FROM entries ORDER BY id')).map(({ id }) => id);
  };
  expect(await ids()).toEqual(await runs.storedIds());
  // A later run has a further column.
  await store.fields.add(application, ['/text']);
  await runs.insert(500, (n) => ({ n, text: `0${n}` }));
  await runs.run(archive);
  for (const at of [0, 600, 900])
    await store.deletions.removeOne(application, (await runs.storedIds())[at] as string);
  await runs.run(archive);
  expect(await ids()).toEqual(await runs.storedIds());
  const days = await rows(query);
  expect(days.reduce((sum, { entries }) => sum + Number(entries), 0)).toBe(997);
  await compact(store, folderStore(root), archive, domain);
  expect(await ids()).toEqual(await runs.storedIds());
});

it.each(['parquet', 'csv'] as const)(
  'the SQL of docs/lake.md reads a field of many types in %s',
  async (format) => {
    const runs = await archiveRuns();
    const { store, application } = runs;
    const archive = await runs.create({ format });
    await store.fields.add(application, ['/tags', '/at']);
    const changes = [
      ['array', ['a', 'b']],
      ['integer', 7],
      ['string', 'text'],
      ['array', [{ a: 1 }]],
      ['boolean', true],
      ['object', { deep: ['c'] }],
      ['array', []],
      ['array', ['']],
    ] as const;
    for (const [at, [type, tags]] of changes.entries()) {
      const properties = {
        tags: { type, ...(at === 0 && { items: { type: 'string' } }) },
        at: { type: 'string', format: 'date-time' },
      };
      const rawSchema = JSON.stringify({ type: 'object', properties });
      const fields = { rawSchema, createdBy: 'b', fields: ['/tags/deep'] };
      await store.schemas.publish((await store.applications.byId(application)) as never, fields as never);
      await runs.insert(1, () => ({ tags, at: at < 5 ? '2026-11-27T08:00:00Z' : 'soon' }), at + 2);
      await runs.run(archive);
    }
    const { rows, create } = await reader(runs, format);
    await create();
    const found = await rows('SELECT * FROM entries ORDER BY id');
    expect(found.map((row) => row.tags)).toEqual([
      '["a","b"]',
      '7',
      'text',
      '[{"a":1}]',
      'true',
      null,
      '[]',
      '[""]',
    ]);
    expect(found[5]?.['tags.deep']).toBe('["c"]');
    const tags = (await rows(elements)).map(({ tag }) => tag);
    expect(tags.toSorted()).toEqual(['', 'a', 'b', '{"a":1}']);
  },
);

it.each(['parquet', 'csv', 'ndjson'] as const)(
  'the SQL of docs/lake.md has a field with the name of another column in %s',
  async (format) => {
    const runs = await archiveRuns();
    await runs.store.fields.add(runs.application, ['/Date', '/ID']);
    const archive = await runs.create({ format });
    const payload = { Date: 'of payload', ID: 'other' };
    await runs.insert(1, () => payload);
    await runs.run(archive);
    const { rows, create } = await reader(runs, format);
    await create();
    const [row] = await rows('SELECT *, date::VARCHAR AS day FROM entries');
    expect(row).toMatchObject({
      id: (await runs.storedIds())[0],
      day: new Date().toISOString().slice(0, 10),
    });
    if (format === 'ndjson') expect(JSON.parse(row?.payload as string)).toEqual(payload);
    else expect(row).toMatchObject({ '/Date': payload.Date, '/ID': payload.ID });
  },
);
