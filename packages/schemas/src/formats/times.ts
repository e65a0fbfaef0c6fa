const hour = '(?:[01]\\d|2[0-3])';
const minute = '[0-5]\\d';
/** `:60` is looked at again. */
const clock = `${hour}:${minute}:(?:${minute}|60)(?:\\.\\d+)?`;
/** February has 29 days in years such as 2024 and 2000, not in 1900. */
const leapYear = '(?:\\d\\d(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)';
const day = '(?:0[1-9]|1\\d|2[0-8])';
const date = `(?:\\d{4}-(?:(?:0[1-9]|1[0-2])-${day}|(?:0[13-9]|1[0-2])-(?:29|30)|(?:0[13578]|1[02])-31)|${leapYear}-02-29)`;
const offset = `(?:z|[+-]${hour}:${minute})`;
/** ISO 8601 has shorter ones, and none for local time. */
const anyOffset = `(?:z|[+-]${hour}(?::?${minute})?)?`;

const whole = (source: string) => new RegExp(`^${source}$`, 'i');
const dateForm = whole(date);
const timeForm = whole(clock + offset);
const dateTimeForm = whole(`${date}t${clock}${offset}`);
const isoTimeForm = whole(clock + anyOffset);
const isoDateTimeForm = whole(`${date}[t\\s]${clock}${anyOffset}`);

/** By RFC 3339, as are times and date-times. */
export const isDate = (text: string): boolean => dateForm.test(text);
export const isTime = (text: string): boolean => timeForm.test(text) && isSecond(text, 0);
export const isDateTime = (text: string): boolean => dateTimeForm.test(text) && isSecond(text, 11);
export const isIsoTime = (text: string): boolean => isoTimeForm.test(text) && isSecond(text, 0);
export const isIsoDateTime = (text: string): boolean => isoDateTimeForm.test(text) && isSecond(text, 11);

/** Leap seconds end the last day of June or December, in UTC. A time without a date can be of such a day. */
function isSecond(text: string, at: number): boolean {
  if (text[at + 6] !== '6') return true;
  const [, sign = '+', hours = 0, minutes = 0] = /([+-])(\d\d):?(\d\d)?$/.exec(text.slice(at)) ?? [];
  const ahead = (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -1 : 1);
  const local = Date.parse(`${at === 0 ? '1972-06-30' : text.slice(0, 10)}T${text.slice(at, at + 5)}Z`);
  const next = new Date(local + (1 - ahead) * 60_000).toISOString();
  return (at === 0 ? /T00:00/ : /-0[17]-01T00:00/).test(next);
}
