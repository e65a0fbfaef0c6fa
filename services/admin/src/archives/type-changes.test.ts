import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fromPointer } from '@sluice/json/pointer.ts';
import type { Schema } from '@sluice/schemas/schema.ts';
import fc from 'fast-check';
import { expect, it, onTestFinished } from 'vitest';
import { ownFolder } from '../../../../test/support/archive-runs.ts';
import { columnsFor, write } from '../../../../test/support/exports/parquet-files.ts';
import { anyShape, payloadOf, schemaOf } from '../../../../test/support/exports/parquet-shapes.ts';
import { type Duck, openDuck } from './open-duck.ts';

type Payload = Record<string, unknown>;

/** A version of a schema, and the payloads of the run that is the first to know it. */
const version = anyShape.chain((shape) =>
  fc.record({
    schema: fc.constant(JSON.parse(JSON.stringify(schemaOf(shape))) as Schema),
    payloads: fc.array(payloadOf(shape), { minLength: 1, maxLength: 4 }) as fc.Arbitrary<Payload[]>,
  }),
);

/** Stores a file for each version, with the columns that archives know by then. Returns the last columns. */
async function writeRuns(folder: string, versions: { schema: Schema; payloads: Payload[] }[]) {
  const schemas = versions.map(({ schema }) => schema);
  const seen: Payload[] = [];
  const [schema] = schemas as [Schema];
  for (const [run, { payloads }] of versions.entries()) {
    const entries = payloads.map((payload, n) => ({ time: seen.length + n, payload }));
    seen.push(...payloads);
    const columns = columnsFor(schema, seen);
    const later = schemas.slice(1, run + 1);
    writeFileSync(
      join(folder, `${run}.parquet`),
      await write({ schema, later, columns, entries, inLake: true }),
    );
  }
  return { columns: columnsFor(schema, seen), payloads: seen };
}

const valueAt = (payload: unknown, path: string[]): unknown =>
  path.reduce<unknown>(
    (value, key) =>
      typeof value === 'object' && value !== null && !Array.isArray(value) && Object.hasOwn(value, key)
        ? (value as Payload)[key]
        : null,
    payload,
  );

/** What a cell has for a value: an object with members has columns of its own. */
function isSame(cell: unknown, value: unknown): boolean {
  if (value === null || value === undefined) return cell === null;
  if (typeof value === 'number') return Number(cell) === value;
  if (typeof value === 'string') {
    if (cell === value) return true;
    return new Date(String(cell).replace(/\+00$/, 'Z')).getTime() === new Date(value).getTime();
  }
  if (typeof value === 'boolean') return String(cell) === String(value);
  if (!Array.isArray(value) && Object.keys(value).length > 0) return cell === null;
  return JSON.stringify(JSON.parse(String(cell))) === JSON.stringify(value);
}

const rowsOf = (duck: Duck, folder: string) =>
  duck.rows(`SELECT * FROM read_parquet('${folder}/*.parquet', union_by_name = true) ORDER BY "createdAt"`);

it('DuckDB reads the files of all versions at once, whatever types the fields get', async () => {
  const duck = await openDuck(ownFolder());
  onTestFinished(duck.close);
  await fc.assert(
    fc.asyncProperty(fc.array(version, { minLength: 2, maxLength: 4 }), async (versions) => {
      const folder = ownFolder();
      const { columns, payloads } = await writeRuns(folder, versions);
      const rows = await rowsOf(duck, folder);
      expect(rows).toHaveLength(payloads.length);
      for (const [at, payload] of payloads.entries())
        for (const { name, pointer } of columns) {
          if (pointer === undefined) continue;
          const value = valueAt(payload, fromPointer(pointer));
          const cell = rows[at]?.[name];
          expect(isSame(cell, value), `${name}: ${String(cell)} for ${JSON.stringify(value)}`).toBe(true);
        }
    }),
    { numRuns: 60 },
  );
});
