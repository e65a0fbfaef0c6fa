import { Readable } from 'node:stream';
import type { Block } from '@sluice/store/backup/block.ts';
import fc from 'fast-check';
import { BSON } from 'mongodb';
import { beforeAll, describe, expect, it } from 'vitest';
import { runs } from '../../../../test/support/runs.ts';
import { AdminError } from '../admin-error.ts';
import { type Summary, toLine, version } from './format.ts';
import { openArchive } from './read-archive.ts';
import { writeArchive } from './write-archive.ts';

const startedAt = new Date('2026-11-22T01:02:03.004Z');
const at = new Date('2026-11-22T01:03:00.000Z');
const documents = (from: number, count: number) =>
  Array.from({ length: count }, (_, n) => Buffer.from(BSON.serialize({ _id: from + n, text: `entry ${n}` })));
const blocks: Block[] = [
  { collection: 'entries', documents: documents(0, 20) },
  { collection: 'users', documents: documents(100, 1) },
  { collection: 'entries', documents: documents(20, 3) },
];

async function write(): Promise<{ bytes: Buffer; written: Summary }> {
  const pieces: Buffer[] = [];
  const archive = writeArchive(
    (async function* () {
      yield* blocks;
      return at;
    })(),
    startedAt,
  );
  for (;;) {
    const { value, done } = await archive.next();
    if (done) return { bytes: Buffer.concat(pieces), written: value };
    pieces.push(value);
  }
}

/** Reads an archive that arrives in pieces of some bytes. */
async function read(bytes: Buffer, pieceBytes = 64) {
  const pieces = Array.from({ length: Math.ceil(bytes.length / pieceBytes) }, (_, n) =>
    bytes.subarray(n * pieceBytes, (n + 1) * pieceBytes),
  );
  const { header, blocks } = await openArchive(Readable.from(pieces, { objectMode: true }));
  const found: Block[] = [];
  for (;;) {
    const { value, done } = await blocks.next();
    if (done) return { header, found, verified: value };
    found.push(value);
  }
}

let whole: Buffer;
let written: Summary;
beforeAll(async () => {
  ({ bytes: whole, written } = await write());
});

describe('an archive', () => {
  it('gives back each document byte by byte, in whatever pieces it arrives', async () => {
    for (const pieceBytes of [1, 7, 1_000_000]) {
      const { header, found, verified } = await read(whole, pieceBytes);
      expect(header.startedAt).toBe(startedAt.toISOString());
      expect(found).toEqual(blocks);
      expect(verified.at).toBe(at.toISOString());
      expect(verified.collections).toEqual({
        entries: { documents: 23, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
        users: { documents: 1, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
      });
    }
  });

  it('says what is in it', async () => {
    expect((await read(whole)).verified.collections).toEqual(written.collections);
  });

  it('is refused when it ends after any byte but its last', async () => {
    for (let end = 0; end < whole.length; end++)
      await expect(read(whole.subarray(0, end)), `${end}`).rejects.toThrow(AdminError);
  });

  it('is refused when a bit of any byte was changed', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(whole.length - 1), fc.nat(7), async (place, bit) => {
        const changed = Buffer.from(whole);
        changed[place] = (changed[place] as number) ^ (1 << bit);
        await expect(read(changed)).rejects.toThrow(AdminError);
      }),
      runs(500),
    );
  });

  it.each([
    ['something follows', () => Buffer.concat([whole, Buffer.from('\n')]), 'something follows'],
    ['it is another file', () => Buffer.from('{"a":1}\n'), 'not a backup of Sluice'],
    [
      'its version is unknown',
      () => Buffer.from(toLine({ format: 'sluice-backup', version: version + 1, startedAt: at })),
      `has version ${version + 1}; this Sluice reads version ${version}`,
    ],
  ])('is refused with the reason when %s', async (_what, bytes, message) => {
    await expect(read(bytes())).rejects.toThrow(message);
  });
});
