import { JobFailed } from '@sluice/jobs/kind.ts';
import type { TableShape } from '@sluice/jobs/record/export-record.ts';
import type { Column } from '@sluice/tables/columns.ts';
import fc from 'fast-check';
import { BSON } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { at, shapeOf, withArrays } from '../../../../../test/support/exports/arrays.ts';
import { csvOf, type Formulas, formulas } from '../../../../../test/support/exports/csv-of.ts';
import { type Entry, idAt, type Payload, toBson } from '../../../../../test/support/exports/entries.ts';
import { expectedTables, isRows } from '../../../../../test/support/exports/tables.ts';
import { runs } from '../../../../../test/support/runs.ts';
import { unzip } from '../../../../../test/support/unzip.ts';
import { UnknownField } from '../format.ts';
import { createTablesZip, tableHeaders } from './tables-zip.ts';

interface Options {
  mode?: Formulas;
  /** A piece ends after each of these entries. */
  cuts?: number[];
  /** Whether a worker of its own writes each piece. */
  isHandedOn?: boolean;
  /** Hears of the entries of each pass that are in no table. */
  onUnknown?: (pass: number, place: number) => void;
}

interface Written {
  archive: Buffer;
  notes: unknown[];
}

/** The whole archive, as `write-file.ts` has it made. */
async function write(
  tables: TableShape[],
  list: Entry[],
  { mode = 'raw', cuts = [], isHandedOn = false, onUnknown }: Options = {},
): Promise<Written> {
  const pieces: Uint8Array[] = [];
  let notes: unknown[] = [];
  const begin = () => createTablesZip({ tables, formulas: mode, time: new Date(1.7e12), notes });
  let format = begin();
  async function take() {
    expect(format.size()).toBeGreaterThan(0);
    const { data, note } = await format.take();
    pieces.push(data);
    notes = BSON.deserialize(BSON.serialize({ notes: [...notes, note] })).notes;
    if (isHandedOn) format = begin();
  }
  for (let pass = 0; pass < format.passes; pass++) {
    format.open(pass);
    for (const [place, entry] of list.entries()) {
      try {
        format.add(toBson(entry));
        if (cuts.includes(place)) await take();
      } catch (error) {
        if (!(error instanceof UnknownField) || !onUnknown) throw error;
        onUnknown(pass, place);
      }
    }
    format.close(pass);
    await take();
  }
  return { archive: Buffer.concat(pieces), notes };
}

/** The elements that a table is of, with their indexes. */
function elementsAt(payload: Payload, path: string[]): { element: Payload; indexes: number[] }[] {
  return path.reduce(
    (elements, pointer) =>
      elements.flatMap(({ element, indexes }) => {
        const found = at(element, pointer);
        return isRows(found) ? found.map((inner, i) => ({ element: inner, indexes: [...indexes, i] })) : [];
      }),
    [{ element: payload, indexes: [] as number[] }],
  );
}

function expectedFiles(list: Entry[], tables: TableShape[], mode: Formulas): Map<string, string> {
  const cell = (time: number, element: Payload, { pointer }: Column) => {
    if (pointer === undefined) return new Date(time);
    const value = at(element, pointer);
    const isEmpty = typeof value !== 'object' || value === null || Object.keys(value).length === 0;
    return isEmpty || (Array.isArray(value) && !isRows(value)) ? value : undefined;
  };
  return new Map(
    tableHeaders(tables).map(({ file, header }, table) => {
      const { path, columns } = tables[table] as TableShape;
      const rows = list.flatMap(({ time, payload }) =>
        elementsAt(payload, path).map(({ element, indexes }) => [
          idAt(time),
          ...indexes,
          ...columns.map((column) => cell(time, element, column)),
        ]),
      );
      return [file, csvOf(header, rows, mode)];
    }),
  );
}

const cuts = fc.uniqueArray(fc.nat({ max: 5 }));

describe('an archive of tables', () => {
  it('has what its entries say, whatever their arrays', async () => {
    await fc.assert(
      fc.asyncProperty(withArrays, formulas, cuts, async (list, mode, cuts) => {
        const tables = shapeOf(list, 'rows');
        expect(tables).toEqual(expectedTables(list));
        const { archive } = await write(tables, list, { mode, cuts });
        expect(await unzip(archive)).toEqual(expectedFiles(list, tables, mode));
      }),
      runs(12, 24),
    );
  });

  it('is the same byte by byte when one worker after the other goes on with it', async () => {
    await fc.assert(
      fc.asyncProperty(withArrays, cuts, async (list, cuts) => {
        const tables = shapeOf(list, 'rows');
        const alone = await write(tables, list, { cuts });
        const handedOn = await write(tables, list, { cuts, isHandedOn: true });
        expect(handedOn.archive.equals(alone.archive)).toBe(true);
        expect(handedOn.notes).toEqual(alone.notes);
      }),
      runs(12, 24),
    );
  });

  it('leaves an entry that came later out of all tables, and has all others in all', async () => {
    await fc.assert(
      fc.asyncProperty(withArrays, withArrays, cuts, async (known, later, cuts) => {
        const tables = shapeOf(known, 'rows');
        const list = [...known, ...later];
        const unknown = tables.map(() => new Set<number>());
        const onUnknown = (pass: number, place: number) => void unknown[pass]?.add(place);
        const { archive } = await write(tables, list, { cuts, onUnknown });
        for (const places of unknown) expect(places).toEqual(unknown[0]);
        for (const place of known.keys()) expect(unknown[0]).not.toContain(place);
        const there = list.filter((_, place) => !unknown[0]?.has(place));
        expect(await unzip(archive)).toEqual(expectedFiles(there, tables, 'raw'));
      }),
      runs(12, 24),
    );
  });

  it('fails when a later reading has more entries than the first one', () => {
    const entry = { time: 0, payload: { a: [{ b: 1 }] } };
    const tables = shapeOf([entry], 'rows');
    const note = { file: 0, isWhole: true, own: 1, start: 0, end: 9, crc: 0, packed: 2, size: 0 };
    const format = createTablesZip({ tables, formulas: 'raw', time: new Date(0), notes: [note] });
    format.open(1);
    format.add(toBson(entry));
    expect(() => format.close(1)).not.toThrow();
    format.add(toBson(entry));
    expect(() => format.close(1)).toThrow(JobFailed);
  });

  it('links the rows of nested tables by the indexes of what they are within', async () => {
    const payload = {
      no: 7,
      items: [{ sku: 'a', parts: [{ n: 1 }, {}], tags: ['x'] }, { sku: 'b' }, { parts: [{ n: 2 }] }],
      mixed: [1, {}],
    };
    const list = [{ time: 5, payload }];
    const files = await unzip((await write(shapeOf(list, 'rows'), list)).archive);
    const id = idAt(5);
    expect([...files].map(([name, text]) => [name, ...text.trimEnd().split('\r\n')])).toEqual([
      ['entries.csv', 'entry,createdAt,declared,no,mixed', `${id},1970-01-01T00:00:00.005Z,,7,"[1,{}]"`],
      ['items.csv', 'entry,index,sku,tags', `${id},0,a,"[""x""]"`, `${id},1,b,`, `${id},2,,`],
      ['items.parts.csv', 'entry,items.index,index,n', `${id},0,0,1`, `${id},0,1,`, `${id},2,0,2`],
    ]);
  });
});
