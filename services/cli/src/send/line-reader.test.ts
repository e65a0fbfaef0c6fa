import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createLineReader } from './line-reader.ts';

async function* pieces(text: string, size: number): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function batchesOf(text: string, size: number, limits: { lines: number; bytes: number }) {
  const reader = createLineReader(pieces(text, size));
  const batches: { text: string; lines: number }[] = [];
  for (;;) {
    const batch = await reader.peek(limits);
    if (!batch) return batches;
    if (batch === 'too long') throw new Error(batch);
    batches.push({ text: batch.bytes.toString(), lines: batch.lines });
    reader.take(batch.bytes.length);
  }
}

it('cuts a source into whole lines within the limits, however its pieces come', async () => {
  const line = fc.string({ maxLength: 8 }).map((text) => text.replaceAll('\n', ' '));
  const limits = fc.record({ lines: fc.integer({ min: 1, max: 5 }), bytes: fc.integer({ min: 1, max: 20 }) });
  await fc.assert(
    fc.asyncProperty(
      fc.array(line),
      fc.boolean(),
      fc.integer({ min: 1, max: 9 }),
      limits,
      async (lines, isOpen, size, most) => {
        const text = lines.map((each) => `${each}\n`).join('') + (isOpen ? 'end' : '');
        const batches = await batchesOf(text, size, most);
        expect(batches.map((batch) => batch.text).join('')).toBe(text);
        for (const [at, batch] of batches.entries()) {
          if (at < batches.length - 1) expect(batch.text.endsWith('\n')).toBe(true);
          expect(batch.lines).toBeLessThanOrEqual(most.lines);
          if (batch.lines > 1) expect(Buffer.byteLength(batch.text)).toBeLessThanOrEqual(most.bytes);
        }
      },
    ),
  );
});

it('makes the same batches whatever the size of the pieces, as a key goes with the same bytes', async () => {
  const text = Array.from({ length: 500 }, (_, n) => `${'x'.repeat(n % 37)}\n`).join('');
  const limits = { lines: 7, bytes: 100 };
  const expected = await batchesOf(text, 1_000_000, limits);
  for (const size of [1, 3, 64]) expect(await batchesOf(text, size, limits)).toEqual(expected);
});

it('drops a line that is too long, and goes on behind it', async () => {
  const long = 'x'.repeat(17 * 1024 ** 2);
  const reader = createLineReader(pieces(`${long}\n{}\n`, 1024 ** 2));
  expect(await reader.peek({ lines: 5, bytes: 100 })).toBe('too long');
  expect(await reader.skipLine()).toBe(long.length + 1);
  expect(await reader.peek({ lines: 5, bytes: 100 })).toMatchObject({ bytes: Buffer.from('{}\n') });
});

it('gives the lines of a slow source after a second, though more may come', async () => {
  let go = () => {};
  const more = new Promise<void>((resolve) => {
    go = resolve;
  });
  async function* slow(): AsyncGenerator<Buffer> {
    yield Buffer.from('{}\n');
    await more;
    yield Buffer.from('[]\n');
  }
  const reader = createLineReader(slow(), { isSlow: true });
  const limits = { lines: 5, bytes: 100 };
  expect(await reader.peek(limits)).toMatchObject({ lines: 1 });
  reader.take(3);
  go();
  expect(await reader.peek(limits)).toMatchObject({ bytes: Buffer.from('[]\n') });
});
