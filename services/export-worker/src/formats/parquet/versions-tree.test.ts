import { parseJson } from '@sluice/json/parse-json.ts';
import { toPointer } from '@sluice/json/pointer.ts';
import { schemaFields } from '@sluice/schemas/fields/schema-fields.ts';
import type { Schema } from '@sluice/schemas/schema.ts';
import { type Column, columnsOf, topNames } from '@sluice/tables/columns.ts';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { eachField } from '../../../../../test/support/each-field.ts';
import type { Entry } from '../../../../../test/support/exports/entries.ts';
import { cases, read, write } from '../../../../../test/support/exports/parquet-files.ts';
import { runs } from '../../../../../test/support/runs.ts';
import { fileColumns } from './file-columns.ts';
import { schemaElements } from './parquet.ts';

type Row = Record<string, unknown>;

const fieldsOf = (entries: Entry[]) => {
  const found = new Set<string>();
  for (const { payload } of entries) eachField(payload, (path) => found.add(toPointer(path)));
  return found;
};

const parsed = (text: string): unknown => {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
};
const isRow = (value: unknown): value is Row =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Whether a cell has a value, be it as its type or as JSON text. */
function has(cell: unknown, value: unknown): boolean {
  if (value === null || (isRow(value) && Object.keys(value).length === 0))
    return cell === null || cell === undefined || isRow(cell) || cell === JSON.stringify(value);
  if (typeof cell === 'string') return cell === value || has(parsed(cell) ?? null, value);
  if (Array.isArray(value))
    return (
      Array.isArray(cell) && cell.length === value.length && value.every((item, at) => has(cell[at], item))
    );
  if (!isRow(value)) return cell === value || (cell === 0 && value === 0);
  if (!isRow(cell)) return false;
  const extra = Object.entries(cell).findLast(([name]) => name.startsWith('_extra'))?.[1];
  const rest = typeof extra === 'string' ? parsed(extra) : undefined;
  const others = isRow(rest) ? rest : {};
  return Object.entries(value).every(([key, member]) =>
    [Object.hasOwn(cell, key) ? cell[key] : null, others[key]].some((one) => has(one, member)),
  );
}

/** The cells in which a field of a payload may be: its own, and those within the column of its first key. */
function cellsOf(row: Row, columns: Column[], path: string[]): unknown[] {
  const [top] = path as [string];
  const own = columns.find(({ pointer }) => pointer === toPointer(path))?.name;
  let cell: unknown = row[topNames([top], columns).get(top) as string];
  for (const key of path.slice(1)) {
    const within = typeof cell === 'string' ? parsed(cell) : cell;
    cell = isRow(within) && Object.hasOwn(within, key) ? within[key] : null;
  }
  return [own !== undefined && row[own], cell];
}

/** Entries of two versions: what was recorded first, then the fields of both schemas, then those of later entries. */
const published = fc.tuple(cases(), cases()).map(([one, two]) => {
  const before = columnsOf(one.schema, [...fieldsOf(one.entries)]);
  const recorded = [...fieldsOf(one.entries), ...schemaFields(one.schema), ...schemaFields(two.schema)];
  const columns = columnsOf(one.schema, [...new Set([...recorded, ...fieldsOf(two.entries)])]);
  return { one, two, before, columns };
});

it('has every field of every entry, by whichever version it is valid', async () => {
  await fc.assert(
    fc.asyncProperty(published, async ({ one, two, columns }) => {
      const entries = [...one.entries, ...two.entries];
      const rows = await read(
        await write({ schema: one.schema, later: [two.schema], columns, entries }, [1, 3]),
      );
      expect(rows).toHaveLength(entries.length);
      for (const [at, { payload }] of entries.entries())
        eachField(payload, (path, value) => {
          const cells = cellsOf(rows[at] as Row, columns, path);
          expect({ path, value, cells, found: cells.some((cell) => has(cell, value)) }).toMatchObject({
            found: true,
          });
        });
    }),
    runs(60, 120),
  );
});

it('keeps the columns that there were before a version, in their order', () => {
  fc.assert(
    fc.property(published, ({ one, two, before, columns }) => {
      const names = (schemas: [Schema, ...Schema[]], known: Column[]) =>
        schemaElements(fileColumns({ schemas, columns: known })).map(([element]) => element?.name);
      const earlier = names([one.schema], before);
      const later = names([one.schema, two.schema], columns);
      expect(later.slice(0, earlier.length)).toEqual(earlier);
    }),
    runs(60, 120),
  );
});
