import { expect, it } from 'vitest';
import { fromLocal, toLocal, toSteps } from './steps.ts';

const now = Date.parse('2026-11-23T12:00:00.000Z');
const begin = '2026-11-23T11:59:00.000Z';

it.each([
  [{}, begin, 'minute', '2026-11-23T11:00:00.000Z'],
  [{}, '2026-11-23T06:00:00.000Z', 'minute', '2026-11-23T06:00:00.000Z'],
  [{}, '2026-11-22T12:00:00.000Z', 'hour', '2026-11-22T12:00:00.000Z'],
  [{}, '2026-06-01T00:00:00.000Z', 'day', '2026-06-01T00:00:00.000Z'],
  [{}, '2020-01-01T00:00:00.000Z', 'day', '2024-02-28T12:00:00.000Z'],
  [{ from: '2026-11-23T11:58:00.000Z' }, begin, 'minute', '2026-11-23T11:58:00.000Z'],
] as const)(
  'the chart of %j of an application of %s has steps of one %s, from %s on',
  (period, made, step, from) => {
    expect(toSteps(period, made, now)).toEqual({ step, from, to: '2026-11-23T12:00:00.000Z' });
  },
);

it('times of inputs are those of where the reader is', () => {
  expect(fromLocal(toLocal('2026-11-23T12:34:00.000Z'))).toBe('2026-11-23T12:34:00.000Z');
  expect([toLocal(undefined), fromLocal('')]).toEqual(['', undefined]);
});
