import { promisify } from 'node:util';
import { constants, gzip, gzipSync, zstdCompressSync } from 'node:zlib';
import { ApiError } from '@sluice/shared/errors.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../../../test/support/runs.ts';
import type { Compression } from './decode.ts';
import { decode } from './decode.ts';

async function* inPieces(body: Buffer, lengths: number[]): AsyncGenerator<Buffer> {
  let from = 0;
  for (const length of [...lengths, body.length]) {
    if (from < body.length) yield body.subarray(from, from + length);
    from += length;
  }
}

async function decoded(body: Buffer, lengths: number[] = [], told?: Compression): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of decode(inPieces(body, lengths), told)) pieces.push(piece);
  return Buffer.concat(pieces).toString('latin1');
}

/** A frame that says nothing (RFC 8878, 3.1.2). */
function skippable(kind: number, content: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32LE(0x184d2a50 + kind);
  head.writeUInt32LE(content.length, 4);
  return Buffer.concat([head, content]);
}

const compress: Record<Compression, (text: Buffer) => Buffer> = { gzip: gzipSync, zstd: zstdCompressSync };
const contents = fc.array(fc.string({ unit: fc.constantFrom('a', 'b', '\n', 'é'), maxLength: 300 }), {
  minLength: 1,
  maxLength: 4,
});
const lengths: fc.Arbitrary<number[]> = fc.oneof(
  fc.constant<number[]>([]),
  fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 60 }),
  fc.constant(Array<number>(2_000).fill(1)),
);
const text = (parts: string[]) => Buffer.from(parts.join('')).toString('latin1');

describe('a compressed body', () => {
  it.each<Compression>(['gzip', 'zstd'])(
    'of several frames is all of them, however it comes: %s',
    async (encoding) => {
      const between = fc
        .nat({ max: 40 })
        .map((count) =>
          encoding === 'gzip' ? Buffer.alloc(count) : skippable(count % 16, Buffer.alloc(count, 'x')),
        );
      await fc.assert(
        fc.asyncProperty(contents, fc.infiniteStream(between), lengths, async (parts, gaps, pieces) => {
          const gap = () => gaps.next().value as Buffer;
          const frames = parts.flatMap((part) => [compress[encoding](Buffer.from(part)), gap()]);
          const body = Buffer.concat(encoding === 'zstd' ? [gap(), ...frames] : frames);
          expect(await decoded(body, pieces)).toBe(text(parts));
          expect(await decoded(body, pieces, encoding)).toBe(text(parts));
        }),
        runs(60),
      );
    },
  );

  it.each<Compression>(['gzip', 'zstd'])(
    'that is cut off is refused, wherever that is: %s',
    async (encoding) => {
      const first = compress[encoding](Buffer.from('first\n'.repeat(9)));
      const body = Buffer.concat([first, compress[encoding](Buffer.from('second\n'))]);
      for (let end = 4; end < body.length; end++)
        for (const pieces of [[], [first.length]]) {
          if (end === first.length) continue;
          await expect(decoded(body.subarray(0, end), pieces)).rejects.toMatchObject({
            name: 'MalformedBodyError',
          });
        }
    },
  );

  it.each<[string, Compression, Buffer]>([
    ['text', 'gzip', Buffer.from('{"n":3}\n')],
    ['text behind a zero byte', 'gzip', Buffer.from('\0{"n":3}\n')],
    ['text behind many zero bytes', 'gzip', Buffer.from(`${'\0'.repeat(600)}x`)],
    ['text', 'zstd', Buffer.from('{"n":3}\n')],
    ['a zero byte', 'zstd', Buffer.alloc(1)],
    ['the begin of a mark', 'zstd', Buffer.from([0x28, 0xb5])],
    ['another encoding', 'zstd', gzipSync('x')],
    ['another encoding', 'gzip', zstdCompressSync('x')],
    ['another encoding behind zeros', 'gzip', Buffer.concat([Buffer.alloc(9), zstdCompressSync('x')])],
  ])('with %s behind it is refused: %s', async (_what, encoding, behind) => {
    const frame = compress[encoding](Buffer.from('{"n":1}\n'));
    for (const pieces of [[], [frame.length], Array<number>(frame.length + behind.length).fill(1)])
      await expect(decoded(Buffer.concat([frame, behind]), pieces)).rejects.toMatchObject({
        name: 'MalformedBodyError',
      });
  });

  it('is taken with a window of 8 MiB, and refused with one that would have the decoder hold more', async () => {
    const body = Buffer.alloc(17 * 1024 ** 2, 'line\n');
    const withWindow = (log: number) =>
      zstdCompressSync(body, {
        params: { [constants.ZSTD_c_windowLog]: log, [constants.ZSTD_c_contentSizeFlag]: 0 },
      });
    expect((await decoded(withWindow(23))).length).toBe(body.length);
    await expect(decoded(withWindow(24))).rejects.toMatchObject({
      name: 'MalformedBodyError',
      message: expect.stringContaining('window is over 8 MiB'),
    });
  });

  it.each<[inner: Compression, outer: Compression]>([
    ['gzip', 'gzip'],
    ['zstd', 'gzip'],
    ['gzip', 'zstd'],
  ])('is refused where it is compressed twice: %s within %s', async (inner, outer) => {
    const body = compress[outer](compress[inner](Buffer.from('{"n":1}')));
    const message = `the body is compressed twice: it is ${inner} within ${outer}; compress it once; nothing was stored`;
    for (const told of [outer, undefined])
      await expect(decoded(body, [], told)).rejects.toMatchObject({ name: 'MalformedBodyError', message });
  });

  it('is refused where it has frames without end', async () => {
    const body = Buffer.concat(Array<Buffer>(10_001).fill(skippable(0, Buffer.alloc(0))));
    await expect(decoded(body)).rejects.toThrow('over 10000 frames');
  });

  it('that fails to come fails as it did, and is not read on when nobody wants more', async () => {
    const large = await promisify(gzip)(Buffer.alloc(10_000_000, 'abc'));
    const failure = new ApiError('InvalidRequestError', 'cut off');
    async function* failing() {
      yield large.subarray(0, 1_000);
      throw failure;
    }
    const all = async () => {
      for await (const _ of decode(failing(), undefined));
    };
    await expect(all()).rejects.toBe(failure);
    let isClosed = false;
    async function* endless() {
      try {
        for (;;) yield large;
      } finally {
        isClosed = true;
      }
    }
    for await (const _ of decode(endless(), undefined)) break;
    await expect.poll(() => isClosed).toBe(true);
  });
});
