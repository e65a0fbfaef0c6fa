import { once } from 'node:events';
import { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { freeBuffer } from '@sluice/shared/free-buffer.ts';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { runs } from '../../../../test/support/runs.ts';
import { freeing } from './read-parts.ts';

const isGone = ({ buffer }: Buffer) => (buffer as ArrayBuffer).detached;
const sizes = fc.array(
  fc.oneof(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 60_000, max: 400_000 })),
  {
    maxLength: 40,
  },
);

it('memory is there until the sink has passed it on, however slow it is', async () => {
  await fc.assert(
    fc.asyncProperty(
      sizes,
      fc.infiniteStream(fc.nat(5)),
      fc.integer({ min: 1, max: 300_000 }),
      async (...args) => {
        const [lengths, delays, highWaterMark] = args;
        const buffers = lengths.map((length, i) => Buffer.alloc(length, i + 1));
        const received: number[] = [];
        const sink = new Writable({
          highWaterMark,
          write(chunk: Buffer, _encoding, done) {
            const turn = (left: number) => {
              if (left > 0) return setImmediate(turn, left - 1);
              // Written only now: what is not there any more is lost.
              received.push(chunk.length, chunk.at(-1) ?? 0);
              done();
            };
            turn(delays.next().value);
          },
        });
        const source = Readable.from(buffers);
        await pipeline(Readable.from(freeing(source, sink), { objectMode: false, highWaterMark: 1 }), sink);
        expect(received).toEqual(lengths.flatMap((length, i) => [length, i + 1]));
      },
    ),
    runs(),
  );
});

it('memory is given back while more comes, not at the end', async () => {
  const large = 200_000;
  const buffers: Buffer[] = [];
  async function* source() {
    for (let i = 0; i < 50; i++) {
      const buffer = Buffer.alloc(large);
      buffers.push(buffer);
      yield buffer;
      expect(buffers.filter((one) => !isGone(one)).length).toBeLessThanOrEqual(4);
    }
  }
  const sink = new Writable({ write: (_chunk, _encoding, done) => void setImmediate(done) });
  Readable.from(freeing(source(), sink), { objectMode: false, highWaterMark: 1 }).pipe(sink);
  await once(sink, 'finish');
  expect(buffers).toHaveLength(50);
});

it('small buffers, which share their memory, are left alone', () => {
  const [one, other] = [Buffer.from('one'), Buffer.from('other')];
  freeBuffer(one);
  expect([one.toString(), other.toString()]).toEqual(['one', 'other']);
  const large = Buffer.alloc(2 * Buffer.poolSize);
  freeBuffer(large);
  expect(isGone(large)).toBe(true);
});
