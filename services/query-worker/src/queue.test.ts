import { setImmediate as breathe } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { runs } from '../../../test/support/runs.ts';
import { createQueue, type Outside } from './queue.ts';

const never = new AbortController().signal;

/** Takes both places, until the function that it returns is called. */
function fill(queue: ReturnType<typeof createQueue>) {
  const { promise, resolve } = Promise.withResolvers<void>();
  for (const owner of ['x', 'y']) void queue.run(owner, never, () => promise);
  return resolve;
}

it('lets a question leave as soon as its client goes, and another take its place', async () => {
  const queue = createQueue();
  const end = fill(queue);
  const gone = new AbortController();
  const left = Array.from({ length: 10 }, () => queue.run('a', gone.signal, async () => 'never'));
  expect(await queue.run('a', never, async () => 'too many')).toBeUndefined();
  gone.abort(new Error('the client went'));
  for (const each of left) await expect(each).rejects.toThrow('the client went');
  expect(queue.waiting()).toBe(0);
  const next = queue.run('a', never, async () => 'answered');
  expect(queue.waiting()).toBe(1);
  end();
  expect(await next).toBe('answered');
});

const step = fc.record({
  what: fc.constantFrom('ask', 'ask', 'go', 'ready', 'end', 'breathe'),
  owner: fc.constantFrom('a', 'b', 'c'),
  which: fc.nat(30),
  waits: fc.boolean(),
});

it('runs at most two at once and everyone in the end, whoever goes at whatever moment', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
      const queue = createQueue();
      const asked: { gone: AbortController; end(): void; ready(): void; found: Promise<unknown> }[] = [];
      let running = 0;
      for (const { what, owner, which, waits } of steps) {
        const one = asked[which % asked.length];
        if (what === 'go') one?.gone.abort(new Error('gone'));
        if (what === 'ready') one?.ready();
        if (what === 'end') one?.end();
        if (what === 'breathe') await breathe();
        if (what !== 'ask') continue;
        const gone = new AbortController();
        const { promise, resolve: end } = Promise.withResolvers<void>();
        const { promise: readiness, resolve: ready } = Promise.withResolvers<void>();
        const begin = () => {
          running += 1;
          expect(running).toBeLessThanOrEqual(2);
        };
        const work = async (outside: Outside) => {
          begin();
          if (waits) {
            running -= 1;
            await outside(() => readiness);
            begin();
          }
          await promise;
          running -= 1;
          return 'answered';
        };
        const found = queue.run(owner, gone.signal, work).catch(({ message }) => message);
        asked.push({ gone, end, ready, found });
      }
      for (const { end, ready } of asked) {
        ready();
        end();
      }
      for (const { found, gone } of asked)
        expect(gone.signal.aborted ? ['answered', 'gone', undefined] : ['answered', undefined]).toContain(
          await found,
        );
      expect([running, queue.waiting()]).toEqual([0, 0]);
      fill(queue);
      expect(queue.waiting()).toBe(0);
    }),
    runs(300),
  );
});
