import { zstdDecompressSync } from 'node:zlib';
import { surveyKinds } from '@sluice/export-worker/formats/parquet/file-columns.ts';
import { createParquet } from '@sluice/export-worker/formats/parquet/parquet.ts';
import { toPointer } from '@sluice/json/pointer.ts';
import type { Schema } from '@sluice/schemas/schema.ts';
import { type Column, columnsOf } from '@sluice/tables/columns.ts';
import fc from 'fast-check';
import { parquetReadObjects } from 'hyparquet';
import { eachField } from '../each-field.ts';
import { type Entry, toBson } from './entries.ts';
import { createExpected, type Row } from './parquet-oracle.ts';
import { anyShape, payloadOf, schemaOf } from './parquet-shapes.ts';

export interface Source {
  schema: Schema;
  /** Versions behind the first. */
  later?: Schema[];
  columns: Column[];
  entries: Entry[];
  selected?: string[] | undefined;
  inLake?: boolean;
}

/** What an export reads, and the rows that any reader has to find in its file. */
export interface Case extends Source {
  rows: Row[];
}

const time = fc.nat({ max: 2 ** 47 });

export function columnsFor(schema: Record<string, unknown>, payloads: Record<string, unknown>[]): Column[] {
  const recorded = new Set<string>();
  for (const payload of payloads) eachField(payload, (path) => recorded.add(toPointer(path)));
  return columnsOf(schema, [...recorded]);
}

/** Random schemas with payloads that are valid by them; some of the columns where `selecting`. */
export const cases = ({ selecting = false } = {}): fc.Arbitrary<Case> =>
  anyShape.chain((shape) => {
    const schema = JSON.parse(JSON.stringify(schemaOf(shape)));
    const entry = fc.record({ time, payload: payloadOf(shape) });
    return fc.array(entry, { maxLength: 12 }).chain((entries) => {
      const columns = columnsFor(
        schema,
        entries.map(({ payload }) => payload),
      );
      const names = columns.map(({ name }) => name);
      const some = selecting ? fc.subarray(names, { minLength: 1 }) : fc.constant(undefined);
      return some.map((selected) => {
        const expected = createExpected({ shape, columns, selected });
        const rows = entries.map(({ time, payload }) => expected(new Date(time).toISOString(), payload));
        return { schema, columns, entries, selected, rows };
      });
    });
  });

/** The file, each piece by a worker of its own: one ends after each of these entries. */
export async function write(
  { entries, schema, later = [], ...others }: Source,
  cuts: number[] = [],
): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  const notes: unknown[] = [];
  const options = { ...others, schemas: [schema, ...later] as [Schema, ...Schema[]] };
  const survey = surveyKinds(options, true);
  for (const entry of entries) survey?.add(toBson(entry));
  const kinds = survey?.kinds();
  const begin = () => createParquet({ ...options, kinds, notes: structuredClone(notes) });
  let format = begin();
  async function take() {
    const { data, note } = await format.take();
    pieces.push(data);
    notes.push(note);
    format = begin();
  }
  format.open(0);
  for (const [index, entry] of entries.entries()) {
    format.add(toBson(entry));
    if (cuts.includes(index)) await take();
  }
  format.close(0);
  await take();
  return Buffer.concat(pieces);
}

export async function read(file: Buffer): Promise<Row[]> {
  return (await readExact(file)).map((row) => normal(row) as Row);
}

/** The same with integers as bigints, and times as microseconds. */
export function readExact(file: Buffer): Promise<Row[]> {
  const bytes = Uint8Array.from(file).buffer;
  const parsers = { timestampFromMicroseconds: (micros: bigint) => micros as unknown as Date };
  return parquetReadObjects({ file: bytes, compressors: { ZSTD: unpack }, parsers });
}

const unpack = (input: Uint8Array) => new Uint8Array(zstdDecompressSync(input));

function normal(value: unknown): unknown {
  if (value === undefined || value === null) return null;
  if (typeof value === 'bigint') return Number(value);
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.map(normal);
  if (typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, normal(member)]));
}
