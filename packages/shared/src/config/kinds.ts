import { parseDuration, parseFlag, parseQuota, parseRate, parseSize, parseTrust } from './units.ts';

/** A kind of setting: `parse` gives undefined for text that is wrong, and `must` says what would be right. */
function kind<T extends string | number | boolean | object>(
  parse: (text: string) => T | undefined,
  must: string,
) {
  // The message has no value: it may be a secret.
  function _parse(text: string): T {
    const value = parse(text);
    if (value === undefined) throw new Error(must);
    return value;
  }
  return {
    or: (fallback: string, desc: string) => ({ _parse, default: _parse(fallback), example: fallback, desc }),
    required: (desc: string) => ({ _parse, desc }),
    optional: (desc: string) => ({ _parse, default: undefined, desc }),
  };
}

const unlessOff =
  <T>(parse: (text: string) => T | undefined) =>
  (text: string) =>
    text.toLowerCase() === 'off' ? false : parse(text);

const listOf = (text: string) => text.split(',').map((each) => each.trim());

export const text = kind((given) => given || undefined, 'must not be empty');

export const flag = kind(parseFlag, 'must be one of true, false, 1, 0, yes, no, on, off');

export const duration = kind(parseDuration, 'must be a number of seconds or a duration such as 15m, 12h, 7d');

export const rate = kind(
  unlessOff(parseRate),
  'must be a count and a duration of at most 7d such as 20/1h or 60/1m, or off',
);

export const quota = kind(unlessOff(parseQuota), 'must be a whole number from 1, or off');

export const sizeQuota = kind(
  unlessOff((given) => parseSize(given) || undefined),
  'must be a number of bytes or a size such as 10GiB, or off',
);

export const trust = kind(
  unlessOff(parseTrust),
  'must be off, a number of proxies from 1 to 99, or addresses such as 10.0.0.0/8, ::1, loopback, uniquelocal, separated by commas',
);

export const origins = kind((given) => listOf(given).filter(Boolean), '');

export const secrets = kind((given) => {
  const list = listOf(given);
  return list.includes('') ? undefined : list;
}, 'must not be empty, nor have nothing before or after a comma');

export const redisPrefix = kind(
  (given) => (/^[\w-]{1,40}$/.test(given) ? given : undefined),
  'must be 1 to 40 letters, digits, _ or -',
);

export const mongodbUrl = kind(
  (given) => (/^mongodb(\+srv)?:\/\/./.test(given) ? given : undefined),
  'must begin with mongodb:// or mongodb+srv://',
);

export const redisUrl = kind(
  (given) => (/^rediss?:\/\/./.test(given) && URL.canParse(given) ? given : undefined),
  'must begin with redis:// or rediss://, and be a URL: what is special in a password is written %40',
);

export const sizeUpTo = (most: string) =>
  kind((given) => {
    const bytes = parseSize(given) ?? 0;
    return bytes >= 1 && bytes <= (parseSize(most) as number) ? bytes : undefined;
  }, `must be a number of bytes or a size such as 512KiB, at most ${most}`);

export const integer = (least: number, most: number) =>
  kind((given) => {
    const number = /^\d+$/.test(given) ? Number(given) : -1;
    return number >= least && number <= most ? number : undefined;
  }, `must be a whole number from ${least} to ${most}`);

export function choice<T extends string>(...choices: T[]) {
  const { or } = kind(
    (given) => choices.find((each) => each === given),
    `must be one of ${choices.join(', ')}`,
  );
  return { or: (fallback: T, desc: string) => ({ ...or(fallback, desc), choices }) };
}
