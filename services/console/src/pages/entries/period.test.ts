import fc from 'fast-check';
import { expect, it } from 'vitest';
import { fromLocal, toLocal } from '../../components/time-zone.ts';
import { boundsOf, hasEnd, isInverted, toBars } from './period.ts';

const now = Date.parse('2026-11-23T12:00:00.000Z');
const minutes = (count: number) => count * 60_000;

it('is that of the user, or the one before now', () => {
  const from = '2026-11-20T00:00:00.000Z';
  expect(boundsOf({ last: '24h' }, now)).toEqual({ from: '2026-11-22T12:00:00.000Z' });
  expect(boundsOf({ last: '24h', from }, now)).toEqual({ from });
  expect(boundsOf({ last: 'all' }, now)).toEqual({});
  expect([isInverted({ from, to: from }), isInverted({ from })]).toEqual([true, false]);
});

it('of yesterday has all of that day, where the reader is', () => {
  const { from, to } = boundsOf({ last: 'yesterday' }, now);
  expect([toLocal(from), toLocal(to)]).toEqual([
    '2026-11-22T00:00',
    `${toLocal(new Date(now).toISOString()).slice(0, 10)}T00:00`,
  ]);
  expect([hasEnd({ last: 'yesterday' }), hasEnd({ last: '24h' })]).toEqual([true, false]);
});

it('times of inputs are those of where the reader is', () => {
  expect(fromLocal(toLocal('2026-11-23T12:34:00.000Z'))).toBe('2026-11-23T12:34:00.000Z');
  expect([toLocal(undefined), fromLocal('')]).toEqual(['', undefined]);
});

it.each([
  ['an hour', 60, 'minute', 1, 60, 1],
  ['a day', 1_440, 'minute', 15, 96, 2],
  ['a week', 7 * 1_440, 'hour', 60, 168, 1],
  ['30 days', 30 * 1_440, 'hour', 360, 120, 1],
  ['a year', 365 * 1_440, 'day', 7 * 1_440, 53, 1],
])('%s has bars that can be told apart', (_what, length, step, bar, count, requests) => {
  const bars = toBars(now - minutes(length), now);
  expect(bars).toMatchObject({ step, length: minutes(bar), count });
  expect(bars.requests).toHaveLength(requests);
});

it('the requests of a chart join without a gap, and none has too many steps', () => {
  const at = fc.integer({ min: 0, max: now });
  fc.assert(
    fc.property(at, at, (one, other) => {
      const [from, to] = [Math.min(one, other), Math.max(one, other)];
      const { begin, length, count, step, requests } = toBars(from, to);
      const stepMs = { minute: minutes(1), hour: minutes(60), day: minutes(1_440) }[step];
      // What the API takes as the first step, and the first one that it leaves out.
      const touched = requests.map((request) => [
        Math.floor(Date.parse(request.from) / stepMs),
        Math.ceil(Date.parse(request.to) / stepMs),
      ]) as [number, number][];
      for (const [place, [first, end]] of touched.entries()) {
        expect(first).toBe(touched[place - 1]?.[1] ?? Math.floor(from / stepMs));
        expect(end - first).toBeLessThanOrEqual(1_000);
      }
      expect(touched.at(-1)?.[1] ?? Math.floor(from / stepMs)).toBe(Math.ceil(to / stepMs));
      expect(begin <= from && begin + count * length >= to).toBe(true);
    }),
  );
});
