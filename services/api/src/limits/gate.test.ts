import fc from 'fast-check';
import { expect, it, onTestFinished, vi } from 'vitest';
import { runs } from '../../../../test/support/runs.ts';
import { createGate } from './gate.ts';

const wide = { waitingOfClient: 100, waiting: 1_000 };

/** Work that is under way until it is told to end, and what is under way, in the order in which it began. */
function createWork() {
  const underWay: { name: string; end(fails?: boolean): void }[] = [];
  const begin = (name: string) => () =>
    new Promise<string>((resolve, reject) => {
      underWay.push({ name, end: (fails) => (fails ? reject(new Error(name)) : resolve(name)) });
    });
  return { underWay, begin };
}

const settled = () => new Promise(setImmediate);

it('lets so much in as may be under way, whatever ends how, and in the end all of it', async () => {
  const step = fc.record({ client: fc.constantFrom('a', 'b', 'c'), ends: fc.nat(3), fails: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 4 }),
      fc.array(step, { maxLength: 20 }),
      async (atOnce, steps) => {
        const pass = createGate({ atOnce, limits: wide, waitingMs: 60_000, what: 'pages' });
        const { underWay, begin } = createWork();
        const all: Promise<unknown>[] = [];
        const end = async (fails: boolean) => {
          underWay.shift()?.end(fails);
          await settled();
        };
        let ended = 0;
        for (const [n, { client, ends, fails }] of steps.entries()) {
          all.push(
            pass(client, begin(`${n}`)).then(
              () => ended++,
              () => ended++,
            ),
          );
          await settled();
          expect(underWay.length).toBe(Math.min(atOnce, all.length - ended));
          for (let i = 0; i < ends; i++) await end(fails);
        }
        while (underWay.length > 0) await end(false);
        await Promise.all(all);
        expect(ended).toBe(steps.length);
      },
    ),
    runs(50),
  );
});

it('gives clients turns, however much one of them has waiting', async () => {
  const pass = createGate({ atOnce: 1, limits: wide, waitingMs: 60_000, what: 'pages' });
  const { underWay, begin } = createWork();
  const all = ['first', 'one', 'one', 'one', 'two'].map((client, n) => pass(client, begin(`${client} ${n}`)));
  const order: string[] = [];
  while (order.length < all.length) {
    await settled();
    const work = underWay.shift();
    order.push(work?.name as string);
    work?.end();
  }
  await Promise.all(all);
  expect(order).toEqual(['first 0', 'one 1', 'two 4', 'one 2', 'one 3']);
});

it('refuses at once what finds too much waiting, and what has waited too long when its turn comes', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const limits = { waitingOfClient: 1, waiting: 2 };
  const pass = createGate({ atOnce: 1, limits, waitingMs: 5_000, what: 'pages' });
  const { underWay, begin } = createWork();
  const refusal = { name: 'ServiceUnavailableError', message: 'too many pages at once' };
  const first = pass('one', begin('first'));
  const late = pass('one', begin('late'));
  await expect(pass('one', begin('more'))).rejects.toMatchObject(refusal);
  vi.advanceTimersByTime(4_000);
  const soon = pass('two', begin('soon'));
  await expect(pass('three', begin('more'))).rejects.toMatchObject(refusal);
  vi.advanceTimersByTime(1_001);
  underWay.shift()?.end();
  await first;
  await expect(late).rejects.toMatchObject(refusal);
  await settled();
  expect(underWay.map(({ name }) => name)).toEqual(['soon']);
  underWay.shift()?.end();
  expect(await soon).toBe('soon');
});
