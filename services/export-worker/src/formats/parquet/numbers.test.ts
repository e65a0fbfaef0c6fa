import fc from 'fast-check';
import { parquetMetadata } from 'hyparquet';
import { expect, it } from 'vitest';
import { columnsFor, readExact, write } from '../../../../../test/support/exports/parquet-files.ts';
import {
  integer,
  listed,
  numbersPayload,
  numbersSchema,
} from '../../../../../test/support/exports/parquet-numbers.ts';
import { runs } from '../../../../../test/support/runs.ts';

/** A cell as a list would print it; `isText` where the column holds JSON. */
const printed = (value: unknown) =>
  value === null || value === undefined ? null : typeof value === 'string' ? value : listed(value);

const fileOf = (payloads: Record<string, unknown>[], by: Record<string, unknown> = numbersSchema) =>
  write({
    schema: by,
    columns: columnsFor(by, payloads),
    entries: payloads.map((each) => ({ time: 5, payload: each })),
  });

it('are printed as a list prints them, in every column, whatever their size', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(numbersPayload, { minLength: 1, maxLength: 8 }), async (payloads) => {
      const rows = await readExact(await fileOf(payloads));
      expect(rows).toHaveLength(payloads.length);
      for (const [at, { i, n, any, other, within, list, rows: inner }] of payloads.entries()) {
        const row = rows[at] as Record<string, unknown>;
        expect([row.i, row.n, row.any, row.other].map(printed)).toEqual([i, n, any, other].map(listed));
        expect(printed((row.within as Record<string, unknown> | null)?.i)).toBe(listed(within?.i));
        expect((row.list as unknown[] | null)?.map(printed)).toEqual(list?.map(listed));
        const cells = (row.rows as Record<string, unknown>[] | null)?.map((cell) => [
          printed(cell.i),
          cell._extra,
        ]);
        expect(cells).toEqual(inner?.map((element) => [listed(element.i), `{"x":${listed(element.x)}}`]));
      }
    }),
    runs(),
  );
});

const typesIn = async (payloads: Record<string, unknown>[], property: object = integer) => {
  const by = { type: 'object', properties: { v: property } };
  const metadata = parquetMetadata(Uint8Array.from(await fileOf(payloads, by)).buffer);
  return metadata.schema.at(-1)?.type;
};

it.each<[string, unknown[], string]>([
  ['64 bits', [1, 2 ** 62, 2n ** 63n - 1n, -(2n ** 63n)], 'INT64'],
  ['64 bits where there is nothing', [], 'INT64'],
  ['a double where some value needs more', [1, 1e19], 'DOUBLE'],
  ['a double for what prints beyond 64 bits', [-(2 ** 63)], 'DOUBLE'],
  ['text where no other type has all of them', [1e19, 2n ** 53n + 1n], 'BYTE_ARRAY'],
])('integers have %s', async (_what, values, type) => {
  expect(await typesIn(values.map((v) => ({ v })))).toBe(type);
});

it.each<[string, unknown[], string]>([
  ['a double', [1.5, 1e300, 2n ** 53n], 'DOUBLE'],
  ['text where some integer is no double', [1.5, 2n ** 53n + 1n], 'BYTE_ARRAY'],
])('numbers have %s', async (_what, values, type) => {
  expect(
    await typesIn(
      values.map((v) => ({ v })),
      { type: 'number' },
    ),
  ).toBe(type);
});
