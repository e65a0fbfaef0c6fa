import { memoryOf } from '@sluice/bson/values.ts';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { number } from '../../../../test/support/exports/entries.ts';
import { runs } from '../../../../test/support/runs.ts';
import { createByteSink, takeBytes } from './byte-sink.ts';
import { writeDouble, writeInt32 } from './json-number.ts';

function print(
  write: (sink: ReturnType<typeof createByteSink>, value: number) => void,
  value: number,
): string {
  const sink = createByteSink(1);
  write(sink, value);
  return takeBytes(sink).toString();
}

const printDouble = (value: number) =>
  print((sink) => writeDouble(sink, memoryOf(new Uint8Array(Float64Array.of(value).buffer)), 0), value);

it('prints numbers as JSON.stringify does', () => {
  fc.assert(
    fc.property(number, (value) => {
      expect(printDouble(value)).toBe(JSON.stringify(value));
    }),
    runs(400),
  );
});

it('prints int32 as JSON.stringify does', () => {
  fc.assert(
    fc.property(fc.integer(), (value) => {
      expect(print(writeInt32, value)).toBe(JSON.stringify(value));
    }),
    runs(400),
  );
});

const edges = [
  1,
  10,
  2e3,
  2e6,
  2e9,
  2 ** 31,
  1e9,
  1e10,
  1e15,
  2 ** 53,
  1e21,
  1e-6,
  1e-7,
  0.001,
  0.0009765625,
];

it.each(
  edges.flatMap((edge) => [
    edge,
    edge - 1,
    edge + 0.5,
    edge * 1.1,
    edge / 3,
    edge * (1 + 2 ** -52),
    1 / edge,
  ]),
)('prints %d exactly, and with a sign', (value) => {
  expect(printDouble(value)).toBe(JSON.stringify(value));
  expect(printDouble(-value)).toBe(JSON.stringify(-value));
});

it.each([-(2 ** 31), 2 ** 31 - 1, 0, -1, 999_999_999, 1_000_000_000, -1_000_000_000])(
  'prints the int32 %d',
  (value) => {
    expect(print(writeInt32, value)).toBe(String(value));
  },
);
