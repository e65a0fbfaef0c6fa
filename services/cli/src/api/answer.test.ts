import { expect, it } from 'vitest';
import { readText } from './answer.ts';

const piece = new TextEncoder().encode('ä'.repeat(50));

it('reads a text, although a character comes in two parts', async () => {
  const body = new ReadableStream({
    start(to) {
      to.enqueue(piece.subarray(0, 1));
      to.enqueue(piece.subarray(1));
      to.close();
    },
  });
  expect(await readText(new Response(body))).toBe('ä'.repeat(50));
});

it('reads no more of an answer that has no end', async () => {
  let isCancelled = false;
  const body = new ReadableStream({
    pull: (to) => to.enqueue(piece),
    cancel() {
      isCancelled = true;
    },
  });
  await expect(readText(new Response(body), 1_000)).rejects.toThrow('is no API of Sluice');
  expect(isCancelled).toBe(true);
});
