import { expect, it } from 'vitest';
import { createKeyCounts } from './key-counts.ts';

it('counts by key, and names the most frequent pointers first', () => {
  const chunk = createKeyCounts();
  for (let n = 0; n < 10; n++) chunk.check('a');
  for (const path of ['/b', '/a', '/a', '/c', '/d', '/e', '/f']) chunk.refuse('a', path);
  chunk.check(null);
  chunk.refuse(null);
  const all = createKeyCounts();
  for (const part of [...chunk.list(), ...chunk.list()]) all.add(part);
  expect(all.tell()).toEqual([
    { key: 'a', checked: 20, refused: 14, paths: ['/a', '/b', '/c', '/d', '/e'] },
    { key: null, checked: 2, refused: 2, paths: [] },
  ]);
});

it('tells 100 keys apart, and counts those with fewest refusals as sent without a key', () => {
  const counts = createKeyCounts();
  for (let n = 0; n < 150; n++) {
    counts.check(`${n}`);
    if (n >= 50) counts.refuse(`${n}`, '/n');
  }
  const told = counts.tell();
  expect(told).toHaveLength(101);
  expect(told.at(-1)).toEqual({ key: null, checked: 50, refused: 0, paths: [] });
});
