import { cutBytes, framesOf } from '@sluice/json/frames.ts';
import type { Splitter } from '@sluice/json/split.ts';
import { jsonArraySplitter, ndjsonSplitter } from '@sluice/json/split.ts';
import { createReadLayout } from '@sluice/tables/csv/header.ts';
import { csvSplitter, type HeaderSink } from '@sluice/tables/csv/split.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../../../test/support/runs.ts';
import { createChunker } from './chunker.ts';

const commas = { delimiter: ',', hasHeader: true } as const;

type Told = [line: number, text: string];

/** What a splitter makes of a text that comes in such pieces: the lines, or what it throws. */
function split(
  make: (sink: HeaderSink) => Splitter,
  body: Buffer,
  lengths: number[],
  lineLimit = 1_000_000,
): Told[] | string {
  const chunker = createChunker(lineLimit);
  const splitter = make(chunker.sink);
  try {
    let from = 0;
    for (const length of [...lengths, body.length]) {
      splitter.push(body.subarray(from, from + length));
      from += length;
    }
    splitter.end();
  } catch (error) {
    return (error as Error).message;
  }
  chunker.finish();
  const frames = chunker.take().flatMap(({ data }) => [...framesOf(data)]);
  return frames.map(({ line, bytes, isCut }) => [line, bytes.toString('latin1') + (isCut ? ' CUT' : '')]);
}

const lengths = fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 60 });
const meaningful = (units: string) => fc.string({ unit: fc.constantFrom(...units), maxLength: 60 });
const json = fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.stringify(value, null, 1));

describe('whatever the pieces', () => {
  it('lines of NDJSON are those of the whole', () => {
    const text = fc.oneof(
      meaningful('{}a" \t\r\n\n\né'),
      fc.array(json).map((list) => list.join('\n')),
    );
    fc.assert(
      fc.property(text, lengths, (body, pieces) => {
        const bytes = Buffer.from(body);
        const expected = bytes
          .toString('latin1')
          .split('\n')
          .map((line, i): Told => [i + 1, line]);
        expect(split(ndjsonSplitter, bytes, pieces)).toEqual(
          expected.filter(([, line]) => /[^ \t\r]/.test(line)),
        );
      }),
      runs(100, 200),
    );
  });

  it('elements of a JSON array are those of the whole, and so is what is wrong with it', () => {
    const text = fc.oneof(
      meaningful('[]{},:"\\\\"\\ \n1é'),
      fc.array(json).map((list) => `[${list.join(',')}]`),
      fc.tuple(fc.array(json), meaningful('[]{},"\\')).map(([list, end]) => `[${list.join(' , ')}${end}`),
    );
    fc.assert(
      fc.property(text, lengths, (body, pieces) => {
        const bytes = Buffer.from(body);
        expect(split(jsonArraySplitter, bytes, pieces)).toEqual(split(jsonArraySplitter, bytes, []));
      }),
      runs(100, 200),
    );
  });

  it('records of CSV are those that were written, and empty ones count', () => {
    const cell = meaningful('a,"\r\né ').map((text) =>
      /^[aé ]*$/.test(text) ? text : `"${text.replaceAll('"', '""')}"`,
    );
    const record = fc.array(cell, { minLength: 2, maxLength: 4 }).map((cells) => cells.join());
    const records = fc.array(
      fc.oneof({ weight: 5, arbitrary: record }, { weight: 1, arbitrary: fc.constant('') }),
    );
    fc.assert(
      fc.property(
        records,
        fc.constantFrom('\n', '\r\n'),
        fc.boolean(),
        lengths,
        (list, end, isEnded, pieces) => {
          let header: string | undefined;
          const body = Buffer.from(['h', ...list].join(end) + (isEnded ? end : ''));
          const found = split(
            (sink) =>
              csvSplitter(sink, (bytes) => {
                header = bytes?.toString();
                return commas;
              }),
            body,
            pieces,
          );
          const isLast = (i: number) => !isEnded && i === list.length - 1;
          const cr = end === '\n' ? '' : '\r';
          const expected = list.flatMap((text, i): Told[] =>
            text === '' ? [] : [[i + 2, Buffer.from(text + (isLast(i) ? '' : cr)).toString('latin1')]],
          );
          expect(header).toBe(list.length === 0 && !isEnded ? 'h' : `h${cr}`);
          expect(found).toEqual(expected);
        },
      ),
      runs(100, 200),
    );
  });

  it('bytes of CSV that mean nothing are split alike', () => {
    fc.assert(
      fc.property(meaningful('a,"\r\n\n'), lengths, (body, pieces) => {
        const make = (sink: HeaderSink) => csvSplitter(sink, () => commas);
        expect(split(make, Buffer.from(body), pieces)).toEqual(split(make, Buffer.from(body), []));
      }),
      runs(100, 200),
    );
  });
});

describe('a line over the limit', () => {
  const long = 'x'.repeat(200_000);

  it.each<[string, (sink: HeaderSink) => Splitter, string]>([
    ['of NDJSON', ndjsonSplitter, `1\n${long}\n3`],
    ['of an array', jsonArraySplitter, `[1\n,${long},3]`],
    ['of CSV', (sink) => csvSplitter(sink, () => commas), `1\n${long}\n3`],
  ])('%s is cut, and those beside it are whole', (_what, make, body) => {
    const pieces = Array.from({ length: 10 }, () => 20_001);
    for (const cuts of [[], pieces]) {
      const found = split(make, Buffer.from(body), cuts, 100_000) as Told[];
      expect(found.filter(([line]) => line !== 2).map(([, text]) => text.trim())).not.toContain('2');
      expect(found.find(([line]) => line === 2)).toEqual([2, `${'x'.repeat(cutBytes)} CUT`]);
      expect(found.at(-1)).toEqual([3, '3']);
    }
  });

  it('is a row of a CSV without a header, and the next one tells what separates cells', () => {
    const layouts: unknown[] = [];
    const readLayout = createReadLayout({ schema: {}, formulas: 'escape', names: 'a,b' });
    const make = (sink: HeaderSink) =>
      csvSplitter(sink, (record) => {
        const layout = readLayout(record);
        layouts.push(layout?.delimiter);
        return layout;
      });
    expect(split(make, Buffer.from('\nabcd,efgh\n1;2\n3;4'), [], 5)).toEqual([
      [2, 'abcd,efgh CUT'],
      [3, '1;2'],
      [4, '3;4'],
    ]);
    expect(layouts).toEqual([undefined, undefined, ';']);
  });

  it('is one only from the first byte beyond', () => {
    const found = split(ndjsonSplitter, Buffer.from('abc\nabcd\n'), [], 3) as Told[];
    expect(found).toEqual([
      [1, 'abc'],
      [2, 'abcd CUT'],
    ]);
  });
});

it('chunks are full by lines or by bytes, and nothing is lost between them', () => {
  const chunker = createChunker(10_000);
  const splitter = ndjsonSplitter(chunker.sink);
  const lines = Array.from({ length: 20_000 }, (_, i) => `${i}${'x'.repeat(i < 12_000 ? 0 : 2_000)}`);
  const body = Buffer.from(lines.join('\n'));
  for (let at = 0; at < body.length; at += 65_536) splitter.push(body.subarray(at, at + 65_536));
  splitter.end();
  chunker.finish();
  const chunks = chunker.take();
  expect(chunker.total()).toBe(20_000);
  expect(chunks.slice(0, 2).map((chunk) => chunk.lines)).toEqual([5_000, 5_000]);
  for (const { data, lines } of chunks) {
    expect(data.length).toBeLessThan(4 * 1024 ** 2 + 10_000);
    expect(lines).toBeLessThanOrEqual(5_000);
  }
  const found = chunks.flatMap(({ data }) => [...framesOf(data)]);
  expect(found.map(({ bytes }) => bytes.toString())).toEqual(lines);
  expect(found.map(({ line }) => line)).toEqual(lines.map((_, i) => i + 1));
});
