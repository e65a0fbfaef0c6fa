import { expect, it } from 'vitest';
import { createPlaces } from './places.ts';

it('one owner never has all places, and each other one finds one', async () => {
  const places = createPlaces(24);
  const { promise, resolve } = Promise.withResolvers<void>();
  const held: Promise<void>[] = [];
  const taken = ['a', 'b', 'c', 'd'].map((owner) => {
    let own = 0;
    for (; !places.full().includes(owner) && !places.isFull(); own++) held.push(places.hold(owner, promise));
    return own;
  });
  expect(taken).toEqual([12, 6, 3, 2]);
  expect(places.isFull()).toBe(false);
  resolve();
  await Promise.all(held);
  expect(places.full()).toEqual([]);
});
