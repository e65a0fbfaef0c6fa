import { createCsv } from '@sluice/export-worker/formats/csv.ts';
import {
  columnsFor,
  type Entry,
  entries,
  write as writeCsv,
} from '@sluice/export-worker/formats/entries.testing.ts';
import { cases, write as writeParquet } from '@sluice/export-worker/formats/parquet/files.testing.ts';
import { eachLeaf, toPointer } from '@sluice/shared/payloads/leaves.ts';
import { parseJson } from '@sluice/shared/payloads/parse-json.ts';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readByPython } from './python.ts';

const count = Number(process.env.READERS_FILES ?? 300);

/** Random, and the same again with the seed that a failure names. */
function sample<T>(arbitrary: fc.Arbitrary<T>): { seed: number; values: T[] } {
  const seed = Number(process.env.READERS_SEED ?? Date.now() % 2 ** 31);
  return { seed, values: fc.sample(arbitrary, { seed, numRuns: count }) };
}

/** What a reader has to find: text as it is, the rest as JSON, nothing for what is missing. */
function cellsOf(list: Entry[], disarmed: boolean): string[][] {
  const columns = columnsFor(list);
  const runs = /^'*(?:[\t\r]|\s*[=+\-@])/;
  const disarm = (text: string) => (disarmed && runs.test(text) ? `'${text}` : text);
  return [
    columns.map(({ name }) => disarm(name)),
    ...list.map(({ time, payload }) => {
      const found = new Map<string | undefined, string>([[undefined, new Date(time).toISOString()]]);
      eachLeaf(payload, (path, value) => {
        const text = typeof value === 'string' ? disarm(value) : value === null ? '' : JSON.stringify(value);
        found.set(toPointer(path), text);
      });
      return columns.map(({ pointer }) => found.get(pointer) ?? '');
    }),
  ];
}

it('CSV is read as it was written, by Python and by DuckDB', async () => {
  const { seed, values } = sample(fc.record({ list: entries, disarmed: fc.boolean() }));
  const files = values.map(({ list, disarmed }) => {
    const format = createCsv({ columns: columnsFor(list), formulas: disarmed ? 'escape' : 'raw' });
    return writeCsv(format, list, new Set([1, 3]));
  });
  const read = (await readByPython('read_csv.py', await Promise.all(files))).trim().split('\n');
  for (const [i, { list, disarmed }] of values.entries()) {
    const cells = cellsOf(list, disarmed);
    expect({ seed, i, rows: parseJson(read[2 * i] as string) }).toEqual({ seed, i, rows: cells });
    expect({ seed, i, rows: parseJson(read[2 * i + 1] as string) }).toEqual({ seed, i, rows: cells });
  }
});

it('Parquet is read as it was written, by DuckDB', async () => {
  const { seed, values } = sample(cases());
  const files = await Promise.all(values.map((source) => writeParquet(source, [1, 4])));
  const read = (await readByPython('read_parquet.py', files)).split('\n');
  for (const [i, { rows }] of values.entries())
    expect({ seed, i, rows: parseJson(read[i] as string) }).toEqual({ seed, i, rows });
});
