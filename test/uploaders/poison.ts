import { readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import type { Language } from './language.ts';
import type { Scene } from './scene.ts';

/** What a program sends besides its entries, from `n` -1 down; and who tells of it. Then comes the poison of its language. */
const common = {
  'a negative number': 'SchemaValidationError',
  'a text of 2 MiB': 'PayloadTooLargeError',
  'a text of 17 MiB': 'PayloadTooLargeError',
};

/**
 * With `poison`, a program sends one of them after each of its first entries. It prints `<n> send` if `send` fails, and
 * `<n> <name of the refusal>` in its callback, which then throws. When it has ended, it sends the third poison again.
 */
export function tryPoison(scene: () => Scene, { poison, inCallback }: Language): void {
  const tellers = Object.values({ ...common, ...poison });
  const byNumber = (a: string, b: string) => Number.parseInt(b, 10) - Number.parseInt(a, 10);
  const told = tellers.map((teller, at) => `${-1 - at} ${teller}`);
  const expected = [...told, ...inCallback, '-3 send'].sort(byNumber);

  it.each([
    ['in one batch', 10_000_001, 1_000, false],
    ['in one batch of a spool', 10_100_001, 1_000, true],
    ['in small batches', 10_200_001, 2, false],
    ['in small batches of a spool', 10_300_001, 2, true],
  ])('stores all others and tells of each poison once, %s', async (_, from, batchLines, hasSpool) => {
    const to = from + tellers.length + 3;
    const spool = hasSpool ? scene().spool() : '-';
    const program = scene().start(await scene().task({ from, to, spool, batchLines, poison: 'yes' }));
    expect(await program.ended, program.output.err).toBe(0);
    const told = program.output.out.trim().split('\n');
    expect(told.sort(byNumber)).toEqual(expected);
    const stored = await scene().stored();
    for (let n = from; n <= to; n++) expect(stored.get(n)).toBe(1);
    if (hasSpool) expect(readdirSync(spool).filter((name) => name.endsWith('.ndjson'))).toEqual([]);
  });
}
