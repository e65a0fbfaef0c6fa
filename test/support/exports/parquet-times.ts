import fc from 'fast-check';

const two = (value: number) => String(value).padStart(2, '0');

/** Most of them exist, and can be held by every reader. */
export const anyDate = fc.oneof(
  {
    weight: 20,
    arbitrary: fc
      .date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
      .map((day) => day.toISOString().slice(0, 10)),
  },
  { weight: 1, arbitrary: fc.constantFrom('0000-01-01', '2026-02-29', '2026-13-01', '26-01-01', '') },
);

const zone = fc.oneof(
  fc.constantFrom('Z', 'z', '+00:00', '-00:00', '+01', '-0930', '+05:45'),
  fc
    .tuple(fc.constantFrom('+', '-'), fc.nat({ max: 23 }), fc.nat({ max: 59 }))
    .map(([sign, h, m]) => `${sign}${two(h)}:${two(m)}`),
);
const fraction = fc.oneof(
  fc.constantFrom('', '.0', '.25', '.123456', '.123456000'),
  fc.nat({ max: 999_999 }).map((micros) => `.${String(micros).padStart(6, '0')}`),
);
const clock = fc
  .tuple(fc.nat({ max: 23 }), fc.nat({ max: 59 }), fc.nat({ max: 59 }))
  .map((parts) => parts.map(two).join(':'));
export const usualDay = fc
  .date({ min: new Date('0002-01-01'), max: new Date('9998-12-31'), noInvalidDate: true })
  .map((day) => day.toISOString().slice(0, 10));

/** A column of Parquet holds each of them. */
export const heldTime = fc
  .tuple(usualDay, fc.constantFrom('T', 't', ' '), clock, fraction, zone)
  .map((parts) => parts.join(''));

export const anyTime = fc.oneof(
  { weight: 30, arbitrary: heldTime },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '2016-12-31T23:59:60Z',
      '2026-11-23T08:00:00.1234567Z',
      '0000-01-01T00:00:00Z',
    ),
  },
);

/** Microseconds since 1970, as another reader of such texts finds them; undefined where a column of Parquet has none. */
export function microsOf(text: string): bigint | undefined {
  const parts = /^(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d:\d\d)(?:\.(\d+))?(?:[zZ]|([+-]\d\d):?(\d\d)?)$/.exec(text);
  if (!parts) return undefined;
  const [, day, time, digits = '', hours, minutes = '00'] = parts;
  const ms = Date.parse(`${day}T${time}${hours === undefined ? 'Z' : `${hours}:${minutes}`}`);
  const isDay = new Date(`${day}T00:00:00Z`).getTime() >= 0 || !Number.isNaN(Date.parse(`${day}T00:00:00Z`));
  const exists = isDay && new Date(`${day}T00:00:00Z`).toISOString().startsWith(day as string);
  const isInRange = ms >= Date.parse('0001-01-01T00:00:00Z') && ms <= Date.parse('9999-12-31T23:59:59Z');
  if (!exists || !isInRange || /[1-9]/.test(digits.slice(6))) return undefined;
  return BigInt(ms) * 1_000n + BigInt(digits.slice(0, 6).padEnd(6, '0'));
}
