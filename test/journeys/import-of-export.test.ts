import { createChunker } from '@sluice/api/imports/chunker.ts';
import { createCsv } from '@sluice/export-worker/formats/csv.ts';
import { framesOf } from '@sluice/json/frames.ts';
import { toPointer } from '@sluice/json/pointer.ts';
import { columnsOf } from '@sluice/tables/columns.ts';
import { readHeader } from '@sluice/tables/csv/header.ts';
import { readRecord } from '@sluice/tables/csv/record.ts';
import { createRowJson } from '@sluice/tables/csv/row.ts';
import { csvSplitter } from '@sluice/tables/csv/split.ts';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { eachField } from '../support/each-field.ts';
import { write } from '../support/exports/entries.ts';
import { runs } from '../support/runs.ts';
import { type TypedPayloads, typedPayloads, withoutNulls } from '../support/typed-payloads.ts';

/** The payloads that an import makes of a CSV export of payloads. */
async function roundTrip(
  { schema, payloads }: TypedPayloads,
  formulas: 'escape' | 'raw',
): Promise<unknown[]> {
  const recorded = new Set<string>();
  for (const payload of payloads) eachField(payload, (path) => recorded.add(toPointer(path)));
  const columns = columnsOf(schema, [...recorded]);
  const entries = payloads.map((payload, time) => ({ time, payload }));
  const csv = await write(createCsv({ columns, formulas }), entries);

  const chunker = createChunker(1024 ** 2);
  let header: (string | null)[] = [];
  const splitter = csvSplitter(chunker.sink, (bytes) => {
    const { columns, delimiter } = readHeader(bytes, schema, [...recorded], formulas);
    header = columns;
    return delimiter;
  });
  splitter.push(Buffer.from(csv));
  splitter.end();
  chunker.finish();
  const toJson = createRowJson(schema, header, formulas);
  return chunker.take().flatMap(({ data }) =>
    [...framesOf(data)].map(({ bytes }) => {
      const record = readRecord(bytes.toString());
      if (!record.ok) throw new Error(record.message);
      return JSON.parse(toJson(record.cells, record.quoted));
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
