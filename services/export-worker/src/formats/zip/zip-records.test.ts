import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { type Entry, fromRandomAccessReaderPromise, RandomAccessReader, type ZipFile } from 'yauzl';
import { dataDescriptor, directory, localHeader, type ZipEntry } from './zip-records.ts';

const time = new Date('2024-05-06T07:08:10Z');
const entry = (fields: Partial<ZipEntry>): ZipEntry => ({
  name: 'ä.csv',
  crc: 0xfedcba98,
  packed: 1,
  size: 2,
  start: 3,
  ...fields,
});

/** Opens a directory as if it lay behind so many bytes. */
function open(entries: ZipEntry[], start: number): Promise<ZipFile> {
  const tail = directory(entries, time, start);
  class Tail extends RandomAccessReader {
    override _readStreamForRange(from: number, to: number) {
      const before = Buffer.alloc(Math.max(0, Math.min(start, to) - from));
      return Readable.from([before, tail.subarray(Math.max(0, from - start), Math.max(0, to - start))]);
    }
  }
  return fromRandomAccessReaderPromise(new Tail(), start + tail.length, { lazyEntries: true });
}

const max32 = 0xffffffff;

describe('the directory of an archive', () => {
  it.each<[string, Partial<ZipEntry>, number]>([
    ['small numbers', {}, 100],
    ['the highest numbers that fit', { size: max32 - 1, packed: max32 - 1, start: max32 - 1 }, max32 - 1],
    ['a size that does not fit', { size: max32 }, 100],
    ['sizes beyond', { size: 3 * 2 ** 33 + 1, packed: 2 ** 33 + 1 }, 2 ** 34],
    ['a file that begins beyond', { start: 2 ** 32 + 5 }, 2 ** 33],
    ['a directory that begins beyond', {}, 2 ** 32],
  ])('is read with %s', async (_what, fields, start) => {
    const list = [entry(fields), entry({ name: 'b.csv' })];
    const zip = await open(list, start);
    const found: Entry[] = [];
    for await (const one of zip.eachEntry()) found.push(one);
    expect(
      found.map(
        (one): ZipEntry => ({
          name: one.fileName,
          crc: one.crc32,
          packed: one.compressedSize,
          size: one.uncompressedSize,
          start: one.relativeOffsetOfLocalHeader,
        }),
      ),
    ).toEqual(list);
    expect(found[0]?.getLastModDate({ timezone: 'UTC' })).toEqual(time);
  });

  it('is read with more files than two bytes count', async () => {
    const list = Array.from({ length: 65_535 }, (_, i) => entry({ name: `${i}`, start: 40 * i }));
    expect((await open(list, 100)).entryCount).toBe(65_535);
  });

  it('has no records of ZIP64 where none is needed', () => {
    expect(directory([entry({})], time, 100)).toHaveLength(46 + 'ä.csv'.length + 1 + 22);
  });
});

describe('the records of a file', () => {
  it('say that its sizes follow it', () => {
    const header = localHeader('ä.csv', time);
    expect(header.toString('hex', 0, 10)).toBe('504b0304140008080800');
    expect(header.toString('hex', 14, 30)).toBe('000000000000000000000000060000'.concat('00'));
    expect(header.toString('utf8', 30)).toBe('ä.csv');
  });

  it.each([
    [{ packed: 5, size: 6 }, '504b070898badcfe0500000006000000'],
    [{ packed: 5, size: max32 }, '504b070898badcfe0500000000000000ffffffff00000000'],
    [{ packed: 2 ** 32, size: 2 ** 33 }, '504b070898badcfe00000000010000000000000002000000'],
  ])('hold %j', (sizes, hex) => {
    expect(dataDescriptor(entry(sizes)).toString('hex')).toBe(hex);
  });
});
