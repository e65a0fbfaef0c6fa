import { zoneName } from './time-zone.ts';

const language = 'en';
const numbers = new Intl.NumberFormat(language);
const distances = new Intl.RelativeTimeFormat(language, { numeric: 'auto' });
const shortDistances = new Intl.RelativeTimeFormat(language, { numeric: 'auto', style: 'narrow' });

const byteUnits = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];
const timeUnits = [
  ['second', 60],
  ['minute', 60],
  ['hour', 24],
  ['day', 30],
  ['month', 12],
  ['year', Number.POSITIVE_INFINITY],
] as const;

export const formatNumber = (value: number): string => numbers.format(value);

const shares = new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 1 });
/** `12.5%`. */
export const formatShare = (share: number): string => shares.format(share);

/** `1.5 MiB`. */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1_024 && unit < byteUnits.length - 1) {
    value /= 1_024;
    unit += 1;
  }
  return `${unit === 0 ? formatNumber(value) : value.toFixed(1)} ${byteUnits[unit]}`;
}

/** Formats in the time zone that was chosen. To make a format takes long, so each is kept. */
function inZone(locale: string, options: Intl.DateTimeFormatOptions): (at: Date | number) => string {
  const formats = new Map<string | undefined, Intl.DateTimeFormat>();
  return (at) => {
    const timeZone = zoneName();
    const made = formats.get(timeZone) ?? new Intl.DateTimeFormat(locale, { ...options, timeZone });
    formats.set(timeZone, made);
    return made.format(at);
  };
}

// Swedish writes times like ISO 8601.
const times = inZone('sv', { dateStyle: 'short', timeStyle: 'medium' });
/** `2026-11-23 09:00:00`, in the time zone that was chosen. */
export const formatTime = (at: Date | string): string => times(new Date(at));

const hours = inZone(language, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
/** `14:00`. */
export const formatHour = (at: number): string => hours(at);

/** `3 minutes ago`, or `3m ago`. */
export function formatDistance(at: Date, now: Date, isShort = false): string {
  let distance = (at.getTime() - now.getTime()) / 1_000;
  for (const [unit, size] of timeUnits) {
    if (Math.abs(distance) < size)
      return (isShort ? shortDistances : distances).format(Math.round(distance), unit);
    distance /= size;
  }
  return formatTime(at);
}

/** `2 min 5 s`. */
export function formatDuration(seconds: number): string {
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** `15 min`: the length of a bar, which is whole minutes, hours or days. */
export function formatBar(ms: number): string {
  const minutes = ms / 60_000;
  if (minutes < 60) return `${minutes} min`;
  return minutes < 1_440 ? `${minutes / 60} h` : `${minutes / 1_440} d`;
}
