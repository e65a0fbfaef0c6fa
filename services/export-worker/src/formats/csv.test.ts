import { parseJson } from '@sluice/json/parse-json.ts';
import { toPointer } from '@sluice/json/pointer.ts';
import { type Column, columnsOf } from '@sluice/tables/columns.ts';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { eachField } from '../../../../test/support/each-field.ts';
import { csvOf, type Formulas, formulas } from '../../../../test/support/exports/csv-of.ts';
import {
  columnsFor,
  type Entry,
  entries,
  idAt,
  type Payload,
  toBson,
  write,
} from '../../../../test/support/exports/entries.ts';
import { runs } from '../../../../test/support/runs.ts';
import { createCsv } from './csv.ts';
import { UnknownField } from './format.ts';

/** The same file from objects. */
function expected(list: Entry[], shown: Column[], mode: Formulas): string {
  const rows = list.map(({ time, payload }) => {
    const leaves = new Map<string | undefined, unknown>([[undefined, new Date(time)]]);
    eachField(payload, (path, value) => leaves.set(toPointer(path), value));
    return shown.map(({ pointer }) => leaves.get(pointer));
  });
  return csvOf(
    shown.map(({ name }) => name),
    rows,
    mode,
  );
}

describe('CSV', () => {
  it('has what is asked for beside the payload, whose fields of that name have their pointers', async () => {
    const columns = columnsOf({}, ['/id', '/a'], { meta: ['schema_version', 'id'] });
    const list = [
      { time: 5, payload: { id: 'x', a: 1 } },
      { time: 6, payload: { a: 2 }, once: true, version: 2 },
    ];
    expect(await write(createCsv({ columns, formulas: 'escape' }), list)).toBe(
      [
        'createdAt,schema_version,id,/id,a',
        `1970-01-01T00:00:00.005Z,1,${idAt(5)},x,1`,
        `1970-01-01T00:00:00.006Z,2,${idAt(6)},,2`,
        '',
      ].join('\r\n'),
    );
  });

  it('has a row for each entry, its leaves in the order of the columns', async () => {
    const time = Date.UTC(2024, 0, 2, 3, 4, 5, 6);
    const list = [
      { time, payload: { a: 1, b: { c: 'x', d: {} }, e: ['y', 1] } },
      { time: time + 1_000, payload: { e: null, b: { c: '' }, a: true } },
    ];
    const csv = await write(createCsv({ columns: columnsFor(list), formulas: 'escape' }), list);
    expect(csv.split('\r\n')).toEqual([
      'createdAt,a,b.c,b.d,e',
      '2024-01-02T03:04:05.006Z,1,x,{},"[""y"",1]"',
      '2024-01-02T03:04:06.006Z,true,"",,',
      '',
    ]);
  });

  it('is byte for byte what RFC 4180 and our own rules make of the same entries', async () => {
    await fc.assert(
      fc.asyncProperty(entries, formulas, async (list, mode) => {
        const columns = columnsFor(list);
        expect(await write(createCsv({ columns, formulas: mode }), list)).toBe(expected(list, columns, mode));
      }),
      runs(),
    );
  });

  it('has the selected columns alone, in the order they were asked for', async () => {
    const dice = fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true }));
    await fc.assert(
      fc.asyncProperty(entries, formulas, dice, fc.nat({ max: 6 }), async (list, mode, roll, count) => {
        const columns = columnsFor(list);
        const rolled = new Map(columns.map((column) => [column, roll.next().value as number]));
        const order = (column: Column) => rolled.get(column) as number;
        const shown = columns.toSorted((a, b) => order(a) - order(b)).slice(0, count + 1);
        const selected = shown.map(({ name }) => name);
        const csv = await write(createCsv({ columns, selected, formulas: mode }), list);
        expect(csv).toBe(expected(list, shown, mode));
      }),
      runs(60),
    );
  });

  it('is the same however it is cut into pieces', async () => {
    await fc.assert(
      fc.asyncProperty(entries, fc.uniqueArray(fc.nat({ max: 7 })), async (list, cuts) => {
        const columns = columnsFor(list);
        const whole = await write(createCsv({ columns, formulas: 'raw' }), list);
        expect(await write(createCsv({ columns, formulas: 'raw' }), list, new Set(cuts))).toBe(whole);
      }),
      runs(),
    );
  });

  it('keeps pieces as they are when more is written', async () => {
    const format = createCsv({ columns: [{ name: 'createdAt' }], formulas: 'raw' });
    format.open(0);
    expect(format.size()).toBe('createdAt\r\n'.length);
    const { data } = await format.take();
    expect(format.size()).toBe(0);
    format.open(0);
    format.open(0);
    expect(Buffer.from(data).toString()).toBe('createdAt\r\n');
  });

  it('holds values longer than what it sets aside at first', async () => {
    const payload = { a: '"'.repeat(900_000), b: ['\u0001'.repeat(500_000)], c: ','.repeat(3_000_000) };
    const list = [{ time: 0, payload }];
    const columns = columnsFor(list);
    const csv = await write(createCsv({ columns, formulas: 'escape' }), list);
    expect(csv === expected(list, columns, 'escape')).toBe(true);
  });

  it('writes "" where nothing is in a file of one column', async () => {
    const columns = [{ name: 'a', pointer: '/a' }];
    const list = [
      { time: 0, payload: { a: null } },
      { time: 0, payload: {} },
      { time: 0, payload: { a: '' } },
    ];
    expect(await write(createCsv({ columns, formulas: 'escape' }), list)).toBe('a\r\n""\r\n""\r\n""\r\n');
  });
});

describe('a column for the rest', () => {
  const columns = [
    { name: 'createdAt' },
    { name: 'a', pointer: '/a' },
    { name: 'b.c', pointer: '/b/c' },
    { name: '_extra', isRest: true as const },
  ];

  it.each<[Payload, string]>([
    [{ b: { c: [1] }, a: 'x' }, 'x,[1],'],
    [{ x: 1, a: 'x' }, 'x,,"{""x"":1}"'],
    [
      { b: { c: 1, d: null }, constructor: { x: [] } },
      ',1,"{""b"":{""d"":null},""constructor"":{""x"":[]}}"',
    ],
    [{ a: { c: 1 }, b: {} }, ',,"{""a"":{""c"":1},""b"":{}}"'],
    [{ b: 1, a: {} }, '{},,"{""b"":1}"'],
    [{}, ',,'],
  ])('has of %j what has no column', async (payload, cells) => {
    const list = [
      { time: 0, payload: { x: 1 } },
      { time: 0, payload },
    ];
    const csv = await write(createCsv({ columns, formulas: 'escape' }), list);
    expect(csv.split('\r\n')[2]).toBe(`1970-01-01T00:00:00.000Z,${cells}`);
  });

  it('leaves nothing out of any entry, and has nothing that another column has', async () => {
    const dice = fc.infiniteStream(fc.boolean());
    await fc.assert(
      fc.asyncProperty(entries, dice, async (list, roll) => {
        const known = columnsFor(list).filter(({ pointer }) => pointer !== undefined && roll.next().value);
        const rest = { name: 'the rest', isRest: true as const };
        const csv = await write(createCsv({ columns: [...known, rest], formulas: 'raw' }), list);
        const [, ...rows] = parse(csv, { record_delimiter: '\r\n' }) as string[][];
        const pointers = new Set(known.map(({ pointer }) => pointer));
        const others = list.map(({ payload }) => {
          const leaves: [string, unknown][] = [];
          eachField(payload, (path, value) => leaves.push([toPointer(path), value]));
          return leaves.filter(([pointer]) => !pointers.has(pointer));
        });
        const found = rows.map((row) => {
          const leaves: [string, unknown][] = [];
          eachField(parseJson(row.at(-1) || '{}') as Payload, (path, value) =>
            leaves.push([toPointer(path), value]),
          );
          return leaves;
        });
        expect(JSON.stringify(found)).toBe(JSON.stringify(others));
      }),
      runs(),
    );
  });
});

describe('a leaf that is no column', () => {
  const columns = columnsFor([{ time: 0, payload: { a: { b: 1, c: {} } } }]);

  it.each<[Payload, string]>([
    [{ x: 1 }, '/x'],
    [{ a: { b: 1, x: { y: [] } } }, '/a/x/y'],
    [{ a: 1 }, '/a'],
    [{ a: { c: { d: null } } }, '/a/c/d'],
    [{ a: { b: 1 }, 'ü/~': '' }, '/ü~1~0'],
  ])('refuses the entry %j', async (payload, pointer) => {
    const written = write(createCsv({ columns, formulas: 'escape' }), [{ time: 1, payload }]);
    await expect(written).rejects.toThrow(UnknownField);
    await expect(written).rejects.toThrow(
      `entry ${idAt(1)} has ${pointer}, which is not among the columns; begin the export anew`,
    );
  });

  it('leaves nothing of its entry in the file, which can go on behind it', async () => {
    const format = createCsv({ columns, formulas: 'escape' });
    format.open(0);
    format.add(toBson({ time: 0, payload: { a: { b: 1 } } }));
    const size = format.size();
    expect(() => format.add(toBson({ time: 0, payload: { a: { b: 2 }, x: 1 } }))).toThrow(UnknownField);
    expect(format.size()).toBe(size);
    format.add(toBson({ time: 0, payload: { a: { c: {} } } }));
    const rows = Buffer.from((await format.take()).data)
      .toString()
      .split('\r\n');
    expect(rows[2]).toBe('1970-01-01T00:00:00.000Z,,{}');
  });

  it('is passed over where columns were selected', async () => {
    const format = createCsv({ columns, selected: ['a.b'], formulas: 'escape' });
    const payload = { x: { y: 1 }, a: { z: [1], b: 2 } };
    expect(await write(format, [{ time: 0, payload }])).toBe('a.b\r\n2\r\n');
  });
});
