import type { Period } from './entries-query.ts';

const minuteMs = 60_000;
const lengths = { minute: minuteMs, hour: 60 * minuteMs, day: 1_440 * minuteMs };
export type Step = keyof typeof lengths;

/** More steps could not be told apart in the chart. */
const usualSteps = 400;
/** For a new application. */
const fewestSteps = 60;
const mostSteps = 1_000;

/** The period of the chart and the step in which its uploads are counted. */
export function toSteps({ from, to }: Period, begin: string, now: number) {
  const end = to === undefined ? now : Date.parse(to);
  const wanted =
    from === undefined ? Math.min(Date.parse(begin), end - fewestSteps * minuteMs) : Date.parse(from);
  const fitting = (['minute', 'hour'] as const).find((step) => end - wanted <= usualSteps * lengths[step]);
  const step: Step = fitting ?? 'day';
  const longest = (mostSteps - 1) * lengths[step];
  return {
    step,
    from: new Date(Math.max(wanted, end - longest)).toISOString(),
    to: new Date(end).toISOString(),
  };
}

/** `2026-11-23T10:20` for `<input type="datetime-local">`, in the time zone of the reader. */
export function toLocal(iso: string | undefined): string {
  if (!iso) return '';
  const time = new Date(iso);
  return new Date(time.getTime() - time.getTimezoneOffset() * minuteMs).toISOString().slice(0, 16);
}

export const fromLocal = (local: string): string | undefined =>
  local === '' ? undefined : new Date(local).toISOString();
