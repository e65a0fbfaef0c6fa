import { createCsv } from '@sluice/export-worker/formats/csv.ts';
import { parseJson } from '@sluice/json/parse-json.ts';
import { toPointer } from '@sluice/json/pointer.ts';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { eachField } from '../support/each-field.ts';
import { columnsFor, type Entry, entries, write as writeCsv } from '../support/exports/entries.ts';
import {
  cases,
  columnsFor as parquetColumnsFor,
  write as writeParquet,
} from '../support/exports/parquet-files.ts';
import { listed, numbersPayload, numbersSchema } from '../support/exports/parquet-numbers.ts';
import { heldTime, microsOf, usualDay } from '../support/exports/parquet-times.ts';
import { readByPython } from './python.ts';

const count = Number(process.env.READERS_FILES ?? 100);

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
      eachField(payload, (path, value) => {
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

/** A number in JSON of Python, as JSON.stringify prints it. */
const printed = (_key: string, value: unknown, { source = '' }: { source?: string } = {}) =>
  typeof value !== 'number' ? value : /^-?\d+$/.test(source) ? source : JSON.stringify(value);

it('numbers in Parquet are read digit by digit as a list prints them, by DuckDB', async () => {
  const { seed, values } = sample(fc.array(numbersPayload, { minLength: 1, maxLength: 8 }));
  const files = await Promise.all(
    values.map((payloads) => {
      const columns = parquetColumnsFor(numbersSchema, payloads);
      return writeParquet({
        schema: numbersSchema,
        columns,
        entries: payloads.map((payload) => ({ time: 5, payload })),
      });
    }),
  );
  const read = (await readByPython('read_parquet.py', files)).split('\n');
  for (const [i, payloads] of values.entries()) {
    const rows = JSON.parse(read[i] as string, printed as (key: string, value: unknown) => unknown);
    const found = rows.map((row: Record<string, never>) => {
      const { i, n, any = null, other = null, within, list } = row as Record<string, unknown>;
      return [i, n, any, other, (within as { i: unknown } | null)?.i ?? null, list];
    });
    const expected = payloads.map(({ i, n, any, other, within, list }) => [
      ...[i, n, any, other, within?.i].map(listed),
      list?.map(listed) ?? null,
    ]);
    expect({ seed, i, rows: found }).toEqual({ seed, i, rows: expected });
  }
});

it('dates and times in Parquet are read as such, by DuckDB, pandas and polars', async () => {
  const { seed, values } = sample(
    fc.array(fc.record({ day: usualDay, at: heldTime }, { requiredKeys: [], noNullPrototype: true }), {
      minLength: 1,
      maxLength: 8,
    }),
  );
  const schema = {
    type: 'object',
    properties: { day: { type: 'string', format: 'date' }, at: { type: 'string', format: 'date-time' } },
  };
  const whole = { day: '2026-11-23', at: '2026-11-23T08:00:00.123456+01:00' };
  const cases = values.map((payloads) => [whole, ...payloads]);
  const files = await Promise.all(
    cases.map((payloads) =>
      writeParquet({
        schema,
        columns: parquetColumnsFor(schema, payloads),
        entries: payloads.map((payload) => ({ time: 5, payload })),
      }),
    ),
  );
  const read = (await readByPython('read_times.py', files)).trim().split('\n');
  const types = [
    ['DATE', 'TIMESTAMP WITH TIME ZONE'],
    ['date', 'datetime64[us, UTC]'],
    ['Date', "Datetime(time_unit='us', time_zone='UTC')"],
  ];
  for (const [i, payloads] of cases.entries()) {
    const rows = payloads.map(({ day = null, at }) => [day, at === undefined ? null : Number(microsOf(at))]);
    for (const [reader, expected] of types.entries()) {
      const found = JSON.parse(read[types.length * i + reader] as string);
      expect({ seed, i, reader, types: found.types, rows: found.rows }).toEqual({
        seed,
        i,
        reader,
        types: expected,
        rows,
      });
    }
  }
});
