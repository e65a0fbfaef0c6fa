import { midnight } from '../../components/time-zone.ts';

/** ISO 8601; a bound that is absent is open. */
export interface PickedPeriod {
  from?: string | undefined;
  to?: string | undefined;
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** The day before today in the time zone that was chosen. */
const yesterday = (now: number): PickedPeriod => ({ from: midnight(1, now), to: midnight(0, now) });

const before = (length: number) => (now: number) => ({ from: new Date(now - length).toISOString() });

/** The usual periods at a time in ms. */
export const lasts = {
  '1h': before(hourMs),
  '24h': before(dayMs),
  yesterday,
  '7d': before(7 * dayMs),
  '30d': before(30 * dayMs),
  all: () => ({}),
} satisfies Record<string, (now: number) => PickedPeriod>;
export type Last = keyof typeof lasts;

/** A period of the user, or a usual one. */
export function boundsOf({ last, from, to }: PickedPeriod & { last: Last }, now: number): PickedPeriod {
  return from || to ? { from, to } : lasts[last](now);
}

/** Whether entries that come now are outside. */
export const hasEnd = (period: PickedPeriod & { last: Last }): boolean =>
  boundsOf(period, Date.now()).to !== undefined;

/** Whether the period begins after its end. */
export const isInverted = ({ from, to }: PickedPeriod): boolean =>
  from !== undefined && to !== undefined && from >= to;

type Step = 'minute' | 'hour' | 'day';
const steps: Record<Step, number> = { minute: minuteMs, hour: hourMs, day: dayMs };

const lengths = [1, 5, 15]
  .map((minutes) => minutes * minuteMs)
  .concat(
    [hourMs, 6 * hourMs],
    [1, 7, 30, 365].map((days) => days * dayMs),
  );

/** More bars could not be told apart. */
const mostBars = 180;
/** Of one request. */
const mostSteps = 1_000;

export interface Bars {
  /** The time of the first one and the length of each, in ms. */
  begin: number;
  length: number;
  count: number;
  step: Step;
  /** Steps of a bar. */
  every: number;
  /** Requests for the steps that the bars are made of. */
  requests: Required<PickedPeriod>[];
}

/** The bars between two times, in ms. */
export function toBars(from: number, to: number): Bars {
  const length = lengths.find((each) => to - from <= mostBars * each) ?? 365 * dayMs;
  const step = length < hourMs ? 'minute' : length < dayMs ? 'hour' : 'day';
  const begin = Math.floor(from / length) * length;
  const longest = (mostSteps - 1) * steps[step];
  const first = Math.floor(from / steps[step]) * steps[step];
  const requests = Array.from({ length: Math.max(Math.ceil((to - first) / longest), 0) }, (_, place) => ({
    from: new Date(Math.max(from, first + place * longest)).toISOString(),
    to: new Date(Math.min(to, first + (place + 1) * longest)).toISOString(),
  }));
  const count = Math.max(Math.ceil((to - begin) / length), 0);
  return { begin, length, count, step, every: length / steps[step], requests };
}
