import { expect, it } from 'vitest';
import { createPlaces } from './places.ts';

it('others go first beside an owner who took a quarter of the places in this turn or the last one', async () => {
  const places = createPlaces(24);
  for (let n = 0; n < 5; n++) await places.hold('a', Promise.resolve());
  await places.hold('b', Promise.resolve());
  expect(places.busy()).toEqual([]);
  await places.hold('a', Promise.resolve());
  expect([places.full(), places.busy()]).toEqual([[], ['a']]);
  places.nextTurn();
  expect(places.busy()).toEqual(['a']);
  places.nextTurn();
  expect(places.busy()).toEqual([]);
});

it('nobody asks again in vain, but in the next turn, or after work of another has settled', async () => {
  const places = createPlaces(24);
  const [one, other] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const held = [places.hold('a', one.promise), places.hold('b', other.promise)];
  expect(places.isKnownNone([])).toBe(false);
  places.noteNone(['a']);
  expect([[], ['a'], ['a', 'b']].map(places.isKnownNone)).toEqual([false, true, true]);
  one.resolve();
  await held[0];
  expect(places.isKnownNone(['a'])).toBe(true);
  other.resolve();
  await held[1];
  expect(places.isKnownNone(['a'])).toBe(false);
  places.noteNone(['a']);
  places.nextTurn();
  expect(places.isKnownNone(['a'])).toBe(false);
});

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
