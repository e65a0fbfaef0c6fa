import { zstdDecompressSync } from 'node:zlib';
import type { Refusal } from '@sluice/intake/line.ts';
import { expect, it } from 'vitest';
import { growsFaster } from '../../../test/support/processor-time.ts';
import { createReport } from './report.ts';

const mib = 1024 ** 2;
const lines = 5_000;

function refusal(details: number, length: number): Refusal {
  const detail = { path: `/${'\u0001'.repeat(length)}`, keyword: 'required', message: 'is required' };
  const message = 'the payload does not conform to the schema of x';
  return { name: 'SchemaValidationError', message, details: Array.from({ length: details }, () => detail) };
}

async function reportOf(each: Refusal, payload = '{"a":1}') {
  const report = createReport();
  for (let line = lines; line > 0; line--)
    report.add(line, each, { bytes: Buffer.from(payload), as: 'json' });
  const { data, bytes } = (await report.finish()) as { data: Buffer; bytes: number };
  const text = zstdDecompressSync(data).toString();
  expect(Buffer.byteLength(text)).toBe(bytes);
  return {
    bytes,
    rows: text
      .trimEnd()
      .split('\n')
      .map((row) => JSON.parse(row)),
  };
}

const reasons = ({ name, message, payload }: Record<string, unknown>) => ({ name, message, payload });

it.each([
  ['many short', 20, 10],
  ['many long', 20, 1_000],
  ['one long', 1, 1_000],
])(
  'the report of a chunk has every line with its reason, and no more than some MiB, of %s details',
  async (_what, details, length) => {
    const each = refusal(details, length);
    const { bytes, rows } = await reportOf(each);
    expect(bytes).toBeLessThan(8 * mib);
    expect(rows.map(({ line }) => line)).toEqual(Array.from({ length: lines }, (_, i) => i + 1));
    const expected = { name: each.name, message: each.message, payload: { a: 1 } };
    for (const row of rows) expect(reasons(row)).toEqual(expected);
    // The lines that came first are told in full.
    expect(rows.at(-1).details).toHaveLength(details);
  },
);

it('details that are short have room in every line', async () => {
  const { rows } = await reportOf(refusal(1, 1));
  expect(new Set(rows.map(({ details }) => details.length))).toEqual(new Set([1]));
});

it.each([1_500, 60_000])(
  'has no more than some MiB of payloads, of %i bytes each, and says where they are cut off',
  async (length) => {
    const payload = { ['c'.repeat(length)]: 1 };
    const { bytes, rows } = await reportOf(refusal(1, 1), JSON.stringify(payload));
    expect(bytes).toBeLessThan(12 * mib);
    expect(rows.map(({ line }) => line)).toEqual(Array.from({ length: lines }, (_, i) => i + 1));
    // The lines that came first are told in full.
    expect(rows.at(-1).payload).toEqual(payload);
    expect(rows[0].payload).toMatch(/^\{"ccc.{400,}… \(cut off\)$/);
  },
);

it('payloads of which a chunk has as many bytes as lines have are told in full', async () => {
  const payload = JSON.stringify({ text: 'x'.repeat(800) });
  const { rows } = await reportOf(refusal(1, 1), payload);
  for (const row of rows) expect(row.payload).toEqual({ text: 'x'.repeat(800) });
});

it.each([
  ['within a character', 'x'.repeat(65_535), 'é', 'x'.repeat(65_535)],
  ['between two characters', 'x'.repeat(65_536), 'é', 'x'.repeat(65_536)],
])('shows no half of a character where it is cut off %s', async (_what, start, rest, expected) => {
  const report = createReport();
  report.add(1, refusal(1, 1), { bytes: Buffer.from(start + rest), as: 'text' });
  const { data } = (await report.finish()) as { data: Buffer };
  expect(JSON.parse(zstdDecompressSync(data).toString()).payload).toBe(`${expected}… (cut off)`);
});

it('takes a line that is no UTF-8 in time that grows with its length', () => {
  const add = (length: number) => {
    const bytes = Buffer.alloc(70_000, 'x').fill(0xff, 0, length);
    createReport().add(1, refusal(1, 1), { bytes, as: 'text' });
  };
  expect(growsFaster(add, 8_000)).toBe(false);
});
