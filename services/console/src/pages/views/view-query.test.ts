import { expect, it } from 'vitest';
import { toView, usualView } from '../entries/view.ts';
import { toFixed, toSaved } from './view-query.ts';

const now = Date.parse('2026-11-23T12:00:00.000Z');
const viewOf = (query: string) => toView(new URLSearchParams(query));

it.each([
  ['last=24h', '2026-11-22T12:00:00.000Z', '2026-11-23T12:00:00.000Z'],
  ['', undefined, '2026-11-23T12:00:00.000Z'],
  ['from=2026-11-01T00:00:00.000Z', '2026-11-01T00:00:00.000Z', '2026-11-23T12:00:00.000Z'],
  [
    'from=2026-11-01T00:00:00.000Z&to=2026-11-02T00:00:00.000Z',
    '2026-11-01T00:00:00.000Z',
    '2026-11-02T00:00:00.000Z',
  ],
])('a link to %j has fixed times', (query, from, to) => {
  expect(viewOf(toFixed(viewOf(query), now))).toMatchObject({ from, to });
});

it('a link keeps filters, columns, order, page and entry', () => {
  const query = 'filter=eq:/place:Oslo&column=/place&order=oldest&after=c&entry=e&live=on';
  expect(viewOf(toFixed(viewOf(query), now))).toEqual({
    ...viewOf(query),
    to: '2026-11-23T12:00:00.000Z',
    isLive: false,
  });
});

it('a saved view keeps the period as it is, and neither page nor entry', () => {
  const kept = 'last=7d&filter=eq:/place:Oslo&column=/place&order=oldest';
  expect(viewOf(toSaved(viewOf(`${kept}&after=c&entry=e&live=on`)))).toEqual(viewOf(kept));
  expect(toSaved(usualView)).toBe('');
});
