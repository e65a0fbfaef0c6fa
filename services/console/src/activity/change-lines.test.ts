import { expect, it } from 'vitest';
import { changeLines, subjectLines } from './change-lines.ts';

it.each([
  [{}, []],
  [{ before: { name: 'A' }, after: { name: 'B' } }, ['name: A → B']],
  [{ before: {}, after: { days: 30 } }, ['days: none → 30']],
  [{ before: { days: 30 }, after: {} }, ['days: 30 → none']],
  [{ after: { name: 'A', days: null } }, ['name: A', 'days: null']],
  [{ before: { to: { kind: 'folder' } } }, ['to: {"kind":"folder"}']],
])('shows the change of %j', (event, lines) => {
  expect(changeLines(event)).toEqual(lines);
});

it('shows what an event is about, without the names that the change has', () => {
  const details = { username: 'grace', changed: ['name'] };
  expect(subjectLines({ job: 'j1', details })).toEqual(['job: j1', 'username: grace']);
});
