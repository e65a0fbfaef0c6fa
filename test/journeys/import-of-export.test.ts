import { createCsv } from '@sluice/export-worker/formats/csv.ts';
import { createChunker } from '@sluice/intake/receive/chunker.ts';
import { framesOf } from '@sluice/json/frames.ts';
import { parseJson } from '@sluice/json/parse-json.ts';
import { toPointer } from '@sluice/json/pointer.ts';
import { columnsOf } from '@sluice/tables/columns.ts';
import { createReadLayout } from '@sluice/tables/csv/header.ts';
import { readRecord } from '@sluice/tables/csv/record.ts';
import { createRowJson } from '@sluice/tables/csv/row.ts';
import { csvSplitter } from '@sluice/tables/csv/split.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { eachField } from '../support/each-field.ts';
import { write } from '../support/exports/entries.ts';
import { runs } from '../support/runs.ts';
import { type Payload, type TypedPayloads, typedPayloads, withoutNulls } from '../support/typed-payloads.ts';

type Formulas = 'escape' | 'raw';

/** The payloads that an import makes of a CSV export of payloads, into an application with the schema `into`. */
async function roundTrip(
  { schema, payloads }: TypedPayloads,
  formulas: Formulas,
  into: Record<string, unknown> = schema,
  selected?: string[],
): Promise<unknown[]> {
  const recorded = new Set<string>();
  for (const payload of payloads) eachField(payload, (path) => recorded.add(toPointer(path)));
  const columns = columnsOf(schema, [...recorded]);
  const entries = payloads.map((payload, time) => ({ time, payload }));
  const csv = await write(createCsv({ columns, selected, formulas }), entries);

  const chunker = createChunker(1024 ** 2);
  let header: (string | null)[] = [];
  const readLayout = createReadLayout({ schema: into, formulas });
  const splitter = csvSplitter(chunker.sink, (record) => {
    const layout = readLayout(record);
    header = layout?.columns ?? [];
    return layout;
  });
  splitter.push(Buffer.from(csv));
  splitter.end();
  chunker.finish();
  const toJson = createRowJson(into, header, formulas);
  return chunker.take().flatMap(({ data }) =>
    [...framesOf(data)].map(({ bytes }) => {
      const record = readRecord(bytes.toString());
      if (!record.ok) throw new Error(record.message);
      return parseJson(toJson(record.cells, record.quoted));
    }),
  );
}

it.each(['escape', 'raw'] as const)(
  'a CSV export (formulas=%s) that is imported gives equal payloads',
  async (formulas) => {
    await fc.assert(
      fc.asyncProperty(typedPayloads, async (given) => {
        const expected = given.payloads.map((payload) => withoutNulls(payload) ?? {});
        const found = (await roundTrip(given, formulas)).map((payload) => withoutNulls(payload) ?? {});
        expect(found).toEqual(expected);
      }),
      runs(60, 150),
    );
  },
);

const keys = [
  'a',
  'b',
  'a.b',
  '.',
  'b.',
  '',
  '/',
  '/a',
  'a/b',
  '~',
  '~1',
  "'",
  "'=a",
  '=a',
  '"',
  ',',
  ';;;;',
];
const odder = [
  '|||',
  '\t\t',
  '\r',
  '\n',
  '\ufeff',
  '\ufeffa',
  'createdAt',
  'id',
  '_extra',
  '0',
  'é',
  'toString',
];
const hostileKey = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...keys, ...odder) },
  { weight: 1, arbitrary: fc.string().filter((key) => key !== '__proto__' && !key.includes('\0')) },
);
const options = { maxKeys: 4, noNullPrototype: true };
const hostile = fc.dictionary(
  hostileKey,
  fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom<unknown>(1, 'text', '', true) },
    { weight: 2, arbitrary: fc.dictionary(hostileKey, fc.constantFrom<unknown>(2, 'x', {}), options) },
  ),
  options,
);

it.each(['escape', 'raw'] as const)(
  'a CSV export (formulas=%s) of any keys, in any order of entries, is the same in a new application',
  async (formulas) => {
    const any = fc.array(hostile as fc.Arbitrary<Payload>, { minLength: 1, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(any, async (payloads) => {
        for (const order of [payloads, payloads.toReversed()])
          expect(await roundTrip({ schema: {}, payloads: order }, formulas)).toEqual(order);
      }),
      runs(150, 1_000),
    );
  },
);

it('a CSV export of any keys is the same in an application whose schema has some of them', async () => {
  const some = fc.tuple(fc.array(hostile as fc.Arbitrary<Payload>, { minLength: 1 }), fc.subarray(keys));
  await fc.assert(
    fc.asyncProperty(some, async ([payloads, declared]) => {
      const schema = { type: 'object', properties: Object.fromEntries(declared.map((key) => [key, {}])) };
      expect(await roundTrip({ schema, payloads }, 'escape')).toEqual(payloads);
    }),
    runs(150, 1_000),
  );
});

describe('a CSV export of a schema with one property', () => {
  it.each<[schema: object, payloads: Payload[], asText?: Payload[]]>([
    [{ type: 'number' }, [{ a: 1 }, {}, { a: 0 }, {}]],
    [{ type: 'boolean' }, [{}, { a: false }]],
    [{ type: 'array' }, [{ a: [] }, {}, { a: [''] }]],
    [{ type: 'string' }, [{ a: 'x' }, { a: '' }, { a: '\r\n' }, { a: '\ufeff' }, { a: 'sep=;' }]],
    [{ type: 'string' }, [{ a: 'x' }, {}, { a: '' }, {}], [{ a: 'x' }, { a: '' }, { a: '' }, { a: '' }]],
    [{}, [{ a: 1 }, {}], [{ a: 1 }, { a: '' }]],
  ])(
    '%j comes back as it was; alone in its file, only a missing text is empty: %j',
    async (of, payloads, asText) => {
      const schema = { type: 'object', properties: { a: of } };
      expect(await roundTrip({ schema, payloads }, 'escape')).toEqual(payloads);
      expect(await roundTrip({ schema, payloads }, 'escape', schema, ['a'])).toEqual(asText ?? payloads);
    },
  );
});
