const language = 'en';
const numbers = new Intl.NumberFormat(language);
const times = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'medium' });
const distances = new Intl.RelativeTimeFormat(language, { numeric: 'auto' });

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

/** Date and time in the time zone of the reader. */
export const formatTime = (at: Date | string): string => times.format(new Date(at));

const hours = new Intl.DateTimeFormat(language, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
/** `14:00`. */
export const formatHour = (at: number): string => hours.format(at);

/** `3 minutes ago`. */
export function formatDistance(at: Date, now: Date): string {
  let distance = (at.getTime() - now.getTime()) / 1_000;
  for (const [unit, size] of timeUnits) {
    if (Math.abs(distance) < size) return distances.format(Math.round(distance), unit);
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
