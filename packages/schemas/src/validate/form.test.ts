import { expect, it } from 'vitest';
import { OutOfSteps } from '../budget.ts';
import { limits } from '../limits.ts';
import { createForm } from './form.ts';

const generated = (length: number) => ({ code: ' '.repeat(length), instructions: 0 });

it('forgets the code that was not used for longest, and generates it again', async () => {
  let count = 0;
  const forms = [1, 2, 3].map(() =>
    createForm(async () => {
      count += 1;
      return generated(Math.floor(0.4 * limits.heldCode));
    }),
  );
  for (const form of forms) await form.get();
  expect(() => forms[0]?.now()).toThrow(OutOfSteps);
  expect(forms[2]?.now().generated.code).toHaveLength(Math.floor(0.4 * limits.heldCode));
  await forms[0]?.get();
  expect(count).toBe(4);
});

it('generates code once for all that wait, and again after a failure', async () => {
  let count = 0;
  const form = createForm(async () => {
    count += 1;
    if (count === 1) throw new Error('not now');
    return generated(1);
  });
  expect(await Promise.allSettled([form.get(), form.get()])).toMatchObject([
    { status: 'rejected' },
    { status: 'rejected' },
  ]);
  expect(count).toBe(1);
  expect((await form.get())?.generated).toEqual(generated(1));
});

it('asks no more for code that cannot be generated', async () => {
  let count = 0;
  const form = createForm(async () => {
    count += 1;
    return undefined;
  });
  expect([await form.get(), await form.get(), count]).toEqual([undefined, undefined, 1]);
});

it('always has code that was given', async () => {
  const form = createForm(async () => undefined, generated(1));
  expect(form.now().generated).toEqual(generated(1));
});
