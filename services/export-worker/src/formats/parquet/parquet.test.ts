import fc from 'fast-check';
import { parquetMetadata } from 'hyparquet';
import { expect, it } from 'vitest';
import { toBson } from '../../../../../test/support/exports/entries.ts';
import { cases, columnsFor, read, write } from '../../../../../test/support/exports/parquet-files.ts';
import { runs } from '../../../../../test/support/runs.ts';
import { UnknownField, Unrepresentable } from '../format.ts';
import { createParquet } from './parquet.ts';

it('gives back every entry, whatever the schema', async () => {
  await fc.assert(
    fc.asyncProperty(cases(), async (sample) => {
      expect(await read(await write(sample))).toEqual(sample.rows);
    }),
    runs(),
  );
});

it('gives the columns that are selected and no other leaf', async () => {
  await fc.assert(
    fc.asyncProperty(cases({ selecting: true }), async (sample) => {
      expect(await read(await write(sample))).toEqual(sample.rows);
    }),
    runs(60),
  );
});

it('is the same to a reader wherever one worker ends and another goes on', async () => {
  await fc.assert(
    fc.asyncProperty(cases(), fc.uniqueArray(fc.nat({ max: 11 })), async (sample, cuts) => {
      expect(await read(await write(sample, cuts))).toEqual(sample.rows);
    }),
    runs(60),
  );
});

const schema = {
  type: 'object',
  properties: {
    count: { type: 'integer' },
    list: {
      type: 'array',
      items: { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: false },
    },
  },
};
const columns = columnsFor(schema, []);
const entry = (time: number, payload = {}) => ({ time, payload });
const toBuffer = (file: Buffer) => Uint8Array.from(file).buffer;

it('is a file without rows where there are no entries', async () => {
  const file = await write({ schema, columns, entries: [] });
  expect(await read(file)).toEqual([]);
  expect(parquetMetadata(toBuffer(file)).schema.map(({ name }) => name)).toContain('count');
});

it.each([1, 14, 15, 16, 200])('can have %i pieces', async (count) => {
  const entries = Array.from({ length: count }, (_, time) => entry(time, { count: time }));
  const file = await write({ schema, columns, entries }, [...entries.keys()]);
  expect(parquetMetadata(toBuffer(file)).row_groups).toHaveLength(count);
  expect((await read(file)).map(({ count }) => count)).toEqual([...entries.keys()]);
});

it('tells a reader the times and numbers that are in each row group', async () => {
  const entries = [
    entry(7, { count: 3 }),
    entry(9),
    entry(11, { count: -(2 ** 60) }),
    entry(12, { count: 5 }),
  ];
  const { row_groups } = parquetMetadata(toBuffer(await write({ schema, columns, entries }, [1])));
  const [times, counts] = [0, 1].map((column) =>
    row_groups.map(({ columns }) => columns[column]?.meta_data?.statistics),
  );
  expect(times).toMatchObject([
    { min_value: new Date(7), max_value: new Date(9) },
    { min_value: new Date(11), max_value: new Date(12) },
  ]);
  expect(counts).toMatchObject([
    { min_value: 3n, max_value: 3n, null_count: 1n },
    { min_value: -1152921504606847000n, max_value: 5n, null_count: 0n },
  ]);
});

it('is byte for byte the same whether or not workers changed', async () => {
  const entries = Array.from({ length: 20 }, (_, time) => entry(time, { count: time % 3 }));
  const format = createParquet({ schemas: [schema], columns });
  const pieces: Uint8Array[] = [];
  format.open(0);
  for (const entry of entries) {
    format.add(toBson(entry));
    pieces.push((await format.take()).data);
  }
  format.close(0);
  pieces.push((await format.take()).data);
  expect(Buffer.concat(pieces)).toEqual(await write({ schema, columns, entries }, [...entries.keys()]));
});

it.each([
  [{ count: 2 ** 63 }, '/count', 'something other than a 64-bit integer'],
  [{ count: 1.5 }, '/count', 'something other than a 64-bit integer'],
  [{ list: 1 }, '/list', 'something other than an array'],
  [{ list: [{}, 1] }, '/list/1', 'something other than an object'],
  [{ list: [{ a: 1 }] }, '/list/0/a', 'something other than a string'],
  [{ list: [{ 'b/c': 1 }] }, '/list/0/b~1c', 'a member that the schema forbids'],
])('refuses %j, which its types cannot hold', (payload, pointer, what) => {
  const add = () => createParquet({ schemas: [schema], columns }).add(toBson(entry(1, payload)));
  expect(add).toThrow(Unrepresentable);
  expect(add).toThrow(
    new RegExp(`^entry 000000000001\\w{16} has ${what} at ${pointer}, .* csv and ndjson take it$`),
  );
});

it('leaves no leaf out and no part of a refused entry in', async () => {
  const format = createParquet({ schemas: [schema], columns });
  format.open(0);
  format.add(toBson(entry(1, { count: 1 })));
  expect(() => format.add(toBson(entry(2, { count: 2, list: [], late: { leaf: 1 } })))).toThrow(UnknownField);
  expect(() => format.add(toBson(entry(3, { count: 3, list: [1] })))).toThrow(Unrepresentable);
  format.add(toBson(entry(4, { count: 4 })));
  format.close(0);
  const rows = await read(Buffer.from((await format.take()).data));
  expect(rows.map(({ count, list }) => [count, list])).toEqual([
    [1, null],
    [4, null],
  ]);
});

it('can have entries with much in one column', async () => {
  const list = (of: number) =>
    Array.from({ length: of }, (_, index) => ({ a: `${of}/${index} `.repeat(40) }));
  const entries = Array.from({ length: 40 }, (_, time) => entry(time, { list: list(time * 10) }));
  const rows = await read(await write({ schema, columns, entries }));
  expect(rows.map(({ list }) => list)).toEqual(
    entries.map(({ payload }) => (payload as { list: unknown }).list),
  );
});

it('has nothing to take once a piece is taken, and the end after the last pass', async () => {
  const format = createParquet({ schemas: [schema], columns });
  const sizes = [format.size()];
  for (const step of [() => format.open(0), () => format.add(toBson(entry(1))), () => format.close(0)]) {
    step();
    sizes.push(format.size());
    await format.take();
    sizes.push(format.size());
  }
  expect(sizes.map((size) => size > 0)).toEqual([false, true, false, true, false, true, false]);
});

it('lets others have their turn while it writes many columns', async () => {
  const properties = Object.fromEntries(
    Array.from({ length: 2_000 }, (_, i) => [`c${i}`, { type: 'integer' }]),
  );
  const wide = { type: 'object', properties: { all: { type: 'object', properties } } };
  const format = createParquet({ schemas: [wide], columns: columnsFor(wide, []) });
  for (let time = 0; time < 200; time++) format.add(toBson(entry(time, { all: { c0: time } })));
  let turns = 0;
  const count = () => {
    turns += 1;
    next = setImmediate(count);
  };
  let next = setImmediate(count);
  await format.take();
  clearImmediate(next);
  expect(turns).toBeGreaterThan(1);
});

it('counts NULLs that take memory without a byte in the entry, so that its pieces stay small', async () => {
  const names = Array.from({ length: 100 }, (_, i) => [`c${i}`, { type: 'integer' }]);
  const items = { type: 'object', properties: Object.fromEntries(names), additionalProperties: false };
  const sparse = { type: 'object', properties: { list: { type: 'array', items } } };
  const format = createParquet({ schemas: [sparse], columns: columnsFor(sparse, []) });
  const add = (list: unknown[]) => format.add(toBson(entry(1, { list })));
  const empty = Array.from({ length: 1_000 }, () => ({}));
  add(empty);
  expect(format.size()).toBe(100_000);
  expect(() => add([...empty, 1])).toThrow(Unrepresentable);
  expect(format.size()).toBe(100_000);
  add(empty);
  expect(format.size()).toBe(200_000);
  await format.take();
  expect(format.size()).toBe(0);
  add([null]);
  expect(format.size()).toBe(100);
});
