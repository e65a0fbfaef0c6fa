import fc from 'fast-check';
import { parquetMetadata } from 'hyparquet';
import { expect, it } from 'vitest';
import { columnsFor, read, readExact, write } from '../../../../../test/support/exports/parquet-files.ts';
import { anyDate, anyTime, microsOf } from '../../../../../test/support/exports/parquet-times.ts';
import { runs } from '../../../../../test/support/runs.ts';

const schema = {
  type: 'object',
  properties: {
    day: { type: 'string', format: 'date' },
    at: { type: 'string', format: 'date-time' },
    list: { type: 'array', items: { type: 'string', format: 'date-time' } },
  },
};
const fileOf = (payloads: Record<string, unknown>[], later: object[] = []) =>
  write({
    schema,
    later: later as Record<string, unknown>[],
    columns: columnsFor(schema, payloads),
    entries: payloads.map((payload) => ({ time: 5, payload })),
  });
const typesIn = (file: Buffer) =>
  Object.fromEntries(
    parquetMetadata(Uint8Array.from(file).buffer).schema.map(({ name, converted_type }) => [
      name,
      converted_type,
    ]),
  );

it('are dates and timestamps of the same instants, or the texts as they are', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.record(
          { day: anyDate, at: anyTime, list: fc.array(anyTime, { maxLength: 2 }) },
          { requiredKeys: [], noNullPrototype: true },
        ),
        { minLength: 1, maxLength: 6 },
      ),
      async (payloads) => {
        const file = await fileOf(payloads);
        const types = typesIn(file);
        const rows = (await readExact(file)) as Record<string, unknown>[];
        const days = payloads.flatMap(({ day }) => day ?? []);
        const isDay = days.every((text) => microsOf(`${text}T00:00:00Z`) !== undefined);
        expect(types.day).toBe(isDay ? 'DATE' : 'UTF8');
        expect(
          rows.map(({ day }) => (day instanceof Date ? day.toISOString().slice(0, 10) : (day ?? undefined))),
        ).toEqual(payloads.map(({ day }) => day));
        for (const [name, texts] of [
          ['at', payloads.map(({ at }) => at)],
          ['list', payloads.map(({ list }) => list)],
        ] as const) {
          const isTime = texts.flat().every((text) => text === undefined || microsOf(text) !== undefined);
          expect(types[name === 'list' ? 'element' : name]).toBe(isTime ? 'TIMESTAMP_MICROS' : 'UTF8');
          const shown = (text: unknown) => (isTime && typeof text === 'string' ? microsOf(text) : text);
          expect(rows.map((row) => row[name] ?? undefined)).toEqual(
            texts.map((text) => (Array.isArray(text) ? text.map(shown) : shown(text))),
          );
        }
      },
    ),
    runs(200),
  );
});

it.each([
  ['2026-11-23T08:00:00.25+01:00', 1_795_417_200_250_000n],
  ['2026-11-23t08:00:00z', 1_795_420_800_000_000n],
  ['2026-11-23 08:00:00-0130', 1_795_426_200_000_000n],
  ['0001-01-01T00:00:00Z', -62_135_596_800_000_000n],
  ['9999-12-31T23:59:59.999999Z', 253_402_300_799_999_999n],
  ['2026-11-23T08:00:00.123456000Z', 1_795_420_800_123_456n],
  ['2026-11-23T08:00:00.250000000000000Z', 1_795_420_800_250_000n],
  ['2026-11-23T08:00:00-23:59', 1_795_507_140_000_000n],
])('%s is %s', async (at, micros) => {
  expect((await readExact(await fileOf([{ at }]))).map((row) => row.at)).toEqual([micros]);
});

it.each([
  '2026-11-23T08:00:60Z',
  '2016-12-31T23:59:60Z',
  '1985-04-12T00:59:59.999999999999999Z',
  '2026-11-23T08:00:00.1234567Z',
  '2026-02-29T08:00:00Z',
  '2026-11-23T24:00:00Z',
  '2026-11-23T08:00:00',
  '2026-11-23',
  '0000-12-31T23:59:59Z',
  '0001-01-01T00:30:00+01:00',
  '9999-12-31T23:30:00-01:00',
  '2026-11-23T08:00:00.Z',
  '2026-11-23T08:00:00+01:00 ',
  'now',
  '',
])('all are text where one is %j', async (text) => {
  const payloads = [{ at: '2026-11-23T08:00:00Z' }, { at: text }];
  // By the first version it need not be a date.
  const anything = { type: 'object', properties: { at: { type: 'string' } } };
  for (const later of [[], [anything]])
    expect((await read(await fileOf(payloads, later))).map((row) => row.at)).toEqual(
      payloads.map(({ at }) => at),
    );
});
