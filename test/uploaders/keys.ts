import { afterAll, beforeAll, expect, it } from 'vitest';
import { acknowledged } from './program.ts';
import type { Scene } from './scene.ts';

/** An application that requires a key, which the program has not. */
export function tryKeys(scene: () => Scene): void {
  beforeAll(() => scene().ask('PATCH', '', { key_required: true }));
  afterAll(() => scene().ask('PATCH', '', { key_required: false }));

  it.each([
    ['close', 15_000_001, 3_000, 5_000],
    ['send', 15_100_001, 100_000, 10],
  ])('fails in %s, and tells of no entry', async (_, from, count, batchLines) => {
    const task = await scene().task({ from, to: from + count - 1, batchLines });
    const program = scene().start(task);
    expect([await program.ended, program.output.out]).toEqual([1, '']);
    const taken = acknowledged(task.progress).length;
    if (batchLines === 10) expect(taken).toBeLessThan(count);
    expect(program.output.err).toMatch(notStored(taken));
    const stored = await scene().stored();
    expect(stored.get(from)).toBe(undefined);
  });

  it('keeps the entries in its spool, and stores them once when no key is required', async () => {
    const from = 15_200_001;
    const task = await scene().task({ spool: scene().spool(), from, to: from + 2_999, batchLines: 500 });
    for (let tries = 1; tries <= 2; tries++) {
      const program = scene().start(tries === 1 ? task : { ...task, to: 0 });
      expect([await program.ended, program.output.out]).toEqual([1, '']);
      expect(program.output.err).toMatch(notStored(acknowledged(task.progress).length));
    }
    await scene().ask('PATCH', '', { key_required: false });
    const next = scene().start({ ...task, to: 0 });
    expect([await next.ended, next.output]).toEqual([0, { out: '', err: '' }]);
    const stored = await scene().stored();
    for (const n of acknowledged(task.progress)) expect(stored.get(n)).toBe(1);
  });
}

/** With the status, and what the server says. */
const notStored = (count: number) =>
  new RegExp(`\\b${count} entries .*403 ForbiddenRequestError: .*an ingest key is required`);
