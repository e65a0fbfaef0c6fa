import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../../../test/support/runs.ts';
import { delimiters, readRecord } from './record.ts';

describe('a record of CSV', () => {
  const cell = fc
    .tuple(fc.string({ unit: fc.constantFrom(...'a,;\t|"\r\n \'é😀') }), fc.boolean())
    .map(([text, isQuoted]) => ({ text, isQuoted: isQuoted || /[",;\t|\r\n]/.test(text) }));

  it('has the cells that were written, and says which were quoted', () => {
    fc.assert(
      fc.property(
        fc.array(cell, { minLength: 1 }),
        fc.constantFrom(...delimiters),
        fc.constantFrom('', '\r', '\n', '\r\n'),
        (cells, delimiter, end) => {
          const texts = cells.map(({ text, isQuoted }) =>
            isQuoted ? `"${text.replaceAll('"', '""')}"` : text,
          );
          expect(readRecord(texts.join(delimiter) + end, delimiter)).toEqual({
            ok: true,
            cells: cells.map(({ text }) => text),
            quoted: cells.map(({ isQuoted }) => isQuoted),
          });
        },
      ),
      runs(300),
    );
  });

  it('is read, or refused, as csv-parse does', () => {
    const text = fc.string({ unit: fc.constantFrom(...'ab,,""'), minLength: 1 });
    fc.assert(
      fc.property(text, (line) => {
        let expected: string[][] | undefined;
        try {
          expected = parse(line, { record_delimiter: '\n' }) as string[][];
        } catch {}
        const record = readRecord(line);
        expect(record.ok ? [record.cells] : undefined).toEqual(expected);
      }),
      runs(400),
    );
  });

  it.each([
    ['"a', 'cell 1 has a quote without an end'],
    ['b,"a""', 'cell 2 has a quote without an end'],
    ['"a"b', 'cell 1 has text after its closing quote'],
    ['"a" ,b', 'cell 1 has text after its closing quote'],
    ['a,b"c', 'cell 2 has a quote, but does not begin with one'],
    [
      '\ufeffa,b',
      'cell 1 begins with a byte order mark: only the start of a file may have one, and joined files have more: remove it',
    ],
  ])('that is %s is refused', (line, message) => {
    expect(readRecord(line)).toEqual({ ok: false, message });
  });
});
