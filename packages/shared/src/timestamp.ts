/** ISO 8601: a date, or a date and time with `Z`, an offset or no zone, which means UTC. */
const isoTimestamp = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)?)?$/;

/** Milliseconds since the epoch; NaN for other text. */
export function parseTimestamp(text: string): number {
  if (!isoTimestamp.test(text)) return Number.NaN;
  const hasZone = text.length === 10 || /(Z|[+-]\d\d:\d\d)$/.test(text);
  const time = Date.parse(hasZone ? text : `${text}Z`);
  const day = new Date(`${text.slice(0, 10)}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text.slice(0, 10)) ? time : Number.NaN;
}
