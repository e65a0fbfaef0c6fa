import { ApiError } from '@sluice/shared/errors.ts';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { runs } from '../../../../test/support/runs.ts';
import { createRoom, type Leave } from './room.ts';

const full = () => new ApiError('ServiceUnavailableError', 'full');
const ownerFull = () => new ApiError('TooManyRequestsError', 'owner full');

it('is taken up to its bounds, by all and by each owner, and there again for what comes later', () => {
  const amount = fc.integer({ min: 1, max: 12 });
  const step = fc.oneof(
    fc.record({ owner: fc.constantFrom('one', 'two', 'three'), amount }),
    fc.record({ leave: fc.nat() }),
  );
  const bounds = fc.record({
    most: fc.integer({ min: 1, max: 40 }),
    mostOfOwner: fc.integer({ min: 1, max: 40 }),
  });
  fc.assert(
    fc.property(bounds, fc.array(step, { maxLength: 60 }), ({ most, mostOfOwner }, steps) => {
      const enter = createRoom({ most, mostOfOwner, full, ownerFull });
      const inside: { owner: string; amount: number; leave: Leave }[] = [];
      const sum = (list: typeof inside) => list.reduce((total, one) => total + one.amount, 0);
      for (const one of steps) {
        if ('leave' in one) {
          const [left] = inside.splice(one.leave % Math.max(1, inside.length), 1);
          left?.leave();
          continue;
        }
        const own = inside.filter(({ owner }) => owner === one.owner);
        const fits = inside.length === 0 || sum(inside) + one.amount <= most;
        const ownFits = own.length === 0 || sum(own) + one.amount <= mostOfOwner;
        if (fits && ownFits) inside.push({ ...one, leave: enter(one.owner, one.amount) });
        else expect(() => enter(one.owner, one.amount)).toThrow(fits ? 'owner full' : 'full');
      }
      for (const { leave } of inside) leave();
      // Nothing of it is left.
      enter('one', most);
      expect(() => enter('two')).toThrow('full');
    }),
    runs(),
  );
});

it('lets one in that is larger than all of it, alone', () => {
  const enter = createRoom({ most: 10, mostOfOwner: 5, full, ownerFull });
  const leave = enter('one', 11);
  expect(() => enter('two')).toThrow('full');
  leave();
  enter('two', 5);
  expect(() => enter('two')).toThrow('owner full');
  enter('one', 5);
});
