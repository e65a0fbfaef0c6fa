import { expect, it } from 'vitest';
import { overShare } from './over-share.ts';

it.each([
  ['nothing is over', 'a1:3 a2:3 b1:2', 8, []],
  ['who has least is left alone', 'a1:9 b1:2', 8, ['a1 to 6']],
  ['what others leave is shared', 'a1:9 b1:9 c1:2', 8, ['a1 to 3', 'b1 to 3']],
  ['an owner shares its room out', 'a1:7 a2:1 b1:2', 8, ['a1 to 5']],
  ['parts of one are one', 'a1:3 a2:5 a1:3 b1:2', 8, ['a1 a1 to 3', 'a2 to 3']],
])('%s', (_what, text, room, over) => {
  const items = text.split(' ').map((item) => ({ name: item.slice(0, 2), size: Number(item.slice(3)) }));
  const found = overShare(items, ({ size }) => size, room, [
    ({ name }) => name.slice(0, 1),
    ({ name }) => name,
  ]);
  expect(
    found.map(({ items: own, share }) => `${own.map(({ name }) => name).join(' ')} to ${share}`),
  ).toEqual(over);
});
