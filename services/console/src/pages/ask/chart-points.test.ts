import { expect, it } from 'vitest';
import { parseExact } from '../../json/exact.ts';
import type { QuestionAnswer } from './answer.ts';
import { chartedColumns, isByTime, kindOfType, placesOf, pointsOf } from './chart-points.ts';

const answerOf = (types: [string, string][], rows: unknown[][]): QuestionAnswer => ({
  columns: types.map(([name, type]) => ({ name, type })),
  rows,
  as_of: null,
  truncated: false,
});

it.each([
  ['number', ['BIGINT', 'UTINYINT', 'INTEGER', 'UINTEGER', 'HUGEINT', 'DOUBLE', 'FLOAT', 'DECIMAL(18,3)']],
  ['time', ['DATE', 'TIMESTAMP', 'TIMESTAMP WITH TIME ZONE', 'TIMESTAMP_MS']],
  ['text', ['VARCHAR', 'UUID', "ENUM('a', 'b')", 'BOOLEAN']],
  ['other', ['INTERVAL', 'BIGINT[]', 'STRUCT(a BIGINT)', 'TIME', 'BLOB', 'MAP(VARCHAR, INTEGER)']],
] as const)('takes types for %s', (kind, types) => {
  expect(types.map(kindOfType)).toEqual(types.map(() => kind));
});

it('charts numbers by a time or a text that is the first column', () => {
  const [time, text, number] = ['TIMESTAMP', 'VARCHAR', 'BIGINT'];
  const types = (...all: string[]): [string, string][] => all.map((type, at) => [`c${at}`, type]);
  expect(chartedColumns(answerOf(types(time, number, text, number), []))).toEqual([1, 3]);
  expect(chartedColumns(answerOf(types(text, number), []))).toEqual([1]);
  expect(chartedColumns(answerOf(types(number, number), []))).toEqual([]);
  expect(chartedColumns(answerOf(types(text, text), []))).toEqual([]);
  expect(
    chartedColumns(
      answerOf(
        [
          ['createdAt', time],
          ['schema_version', number],
        ],
        [],
      ),
    ),
  ).toEqual([]);
  expect([isByTime(answerOf(types(time), [])), isByTime(answerOf(types(text), []))]).toEqual([true, false]);
});

it('puts points by time in order, in UTC, and leaves gaps', () => {
  const rows = parseExact(
    '[["2026-11-04T00:00:00",3],["2026-11-01T00:00:00Z",9007199254740993],[null,7],["2026-11-02",null]]',
  ) as unknown[][];
  const points = pointsOf(
    answerOf(
      [
        ['day', 'TIMESTAMP'],
        ['n', 'HUGEINT'],
      ],
      rows,
    ),
    1,
  );
  expect(points.map(({ label, value }) => [label, value])).toEqual([
    ['2026-11-01T00:00:00Z', 9007199254740992],
    ['2026-11-02', undefined],
    ['2026-11-04T00:00:00', 3],
  ]);
  expect(placesOf(points)).toEqual({ places: [0, 1, 3], width: 4 });
});

it('leaves texts in the order of the answer', () => {
  const rows = [
    ['Rome', 2],
    ['Oslo', 9],
    [null, 1],
    [true, 4],
  ];
  const points = pointsOf(
    answerOf(
      [
        ['place', 'VARCHAR'],
        ['n', 'BIGINT'],
      ],
      rows,
    ),
    1,
  );
  expect(points.map(({ label, value }) => [label, value])).toEqual([
    ['Rome', 2],
    ['Oslo', 9],
    ['true', 4],
  ]);
});
