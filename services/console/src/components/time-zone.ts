import { useSyncExternalStore } from 'react';

export type TimeZone = 'browser' | 'utc';

const key = 'sluice.time-zone';
const changes = new EventTarget();

let chosen: TimeZone = globalThis.localStorage?.getItem(key) === 'utc' ? 'utc' : 'browser';

/** For `Intl.DateTimeFormat`. Undefined: that of the browser. */
export const zoneName = (): 'UTC' | undefined => (chosen === 'utc' ? 'UTC' : undefined);

const offsets = new Intl.DateTimeFormat('en', { timeZoneName: 'shortOffset' });
/** `UTC`, or `UTC+1`. */
export function offsetNow(): string {
  if (chosen === 'utc') return 'UTC';
  const name = offsets.formatToParts().find(({ type }) => type === 'timeZoneName')?.value ?? '';
  return name.replace('GMT', 'UTC').replace(/\+0$/, '');
}

/** Such as `Europe/Oslo`. */
export const browserZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

/** The time zone of all times that pages show and take. Downloads and the API are in UTC. */
export const timeZone = {
  chosen: () => chosen,
  choose(zone: TimeZone): void {
    chosen = zone;
    localStorage.setItem(key, zone);
    changes.dispatchEvent(new Event('change'));
  },
  subscribe(listener: () => void): () => void {
    changes.addEventListener('change', listener);
    return () => changes.removeEventListener('change', listener);
  },
};

export const useTimeZone = (): TimeZone => useSyncExternalStore(timeZone.subscribe, timeZone.chosen);

const minuteMs = 60_000;

/** `2026-11-23T10:20` for `<input type="datetime-local">`; its `step` is 1 for seconds. */
export function toLocal(iso: string | undefined, precision: 'minutes' | 'seconds' = 'minutes'): string {
  if (!iso) return '';
  const time = new Date(iso);
  const offset = chosen === 'utc' ? 0 : time.getTimezoneOffset();
  return new Date(time.getTime() - offset * minuteMs)
    .toISOString()
    .slice(0, precision === 'minutes' ? 16 : 19);
}

export const fromLocal = (local: string): string | undefined =>
  local === '' ? undefined : new Date(chosen === 'utc' ? `${local}Z` : local).toISOString();

/** The begin of a day before today. It may be 23 or 25 hours before the next one. */
export function midnight(daysAgo: number, now: number): string {
  const day = new Date(now);
  const begin =
    chosen === 'utc'
      ? Date.UTC(day.getUTCFullYear(), day.getUTCMonth(), day.getUTCDate() - daysAgo)
      : new Date(day.getFullYear(), day.getMonth(), day.getDate() - daysAgo);
  return new Date(begin).toISOString();
}
