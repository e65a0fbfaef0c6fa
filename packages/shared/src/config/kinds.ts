import { isIP } from 'node:net';
import { parseAllowed } from '../public-address.ts';

const second = 1_000;
const durations: Record<string, number> = {
  s: second,
  m: 60 * second,
  h: 3_600 * second,
  d: 86_400 * second,
};
const sizes: Record<string, number> = {
  '': 1,
  B: 1,
  KIB: 1024,
  MIB: 1024 ** 2,
  GIB: 1024 ** 3,
  TIB: 1024 ** 4,
};

/** `90`, `15m`, `12h`, `7d` → milliseconds (a bare number is seconds); undefined for other text. */
export function parseDuration(text: string): number | undefined {
  const match = /^(\d{1,9})([smhd]?)$/.exec(text);
  return match ? Number(match[1]) * (durations[match[2] || 's'] as number) : undefined;
}

/** `1048576`, `512KiB`, `1MiB` → bytes; undefined for other text. */
function parseSize(text: string): number | undefined {
  const match = /^(\d{1,12})(B|[KMGT]iB)?$/i.exec(text);
  return match ? Number(match[1]) * (sizes[(match[2] ?? '').toUpperCase()] as number) : undefined;
}

export interface Rate {
  count: number;
  durationMs: number;
}

const longestMs = 7 * 86_400 * second;

/** `20/1h`, `60/1m` → a rate; undefined for other text, and for durations below a second or above a week. */
function parseRate(text: string): Rate | undefined {
  const match = /^(\d{1,9})\/(.+)$/.exec(text);
  const count = Number(match?.[1]);
  const durationMs = parseDuration(match?.[2] ?? '') ?? 0;
  return count >= 1 && durationMs >= second && durationMs <= longestMs ? { count, durationMs } : undefined;
}

/** Ranges of addresses that Fastify knows by name. */
const ranges = ['loopback', 'linklocal', 'uniquelocal'];

function isRange(text: string): boolean {
  const [address = '', bits, ...more] = text.split('/');
  const version = isIP(address);
  if (version === 0 || more.length > 0) return ranges.includes(text);
  if (bits === undefined) return true;
  return /^\d{1,3}$/.test(bits) && Number(bits) >= 1 && Number(bits) <= (version === 4 ? 32 : 128);
}

/** `2` → a number of proxies, `10.0.0.0/8, loopback` → their addresses; undefined for other text. */
function parseTrust(text: string): number | string[] | undefined {
  if (/^[1-9]\d?$/.test(text)) return Number(text);
  const addresses = text.split(',').map((each) => each.trim());
  return addresses.every(isRange) ? addresses : undefined;
}

/** A kind of setting. `parse` returns undefined for wrong text; `must` says what is right. */
function kind<T extends string | number | boolean | object>(
  parse: (text: string) => T | undefined,
  must: string,
) {
  // The value may be a secret, so the message leaves it out.
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

/** A setting that is never shown; it can also come from the file that `NAME_FILE` names. */
export const secret = <S extends object>(setting: S) => ({ ...setting, isSecret: true });

const unlessOff =
  <T>(parse: (text: string) => T | undefined) =>
  (text: string) =>
    text.toLowerCase() === 'off' ? false : parse(text);

const listOf = (text: string) => text.split(',').map((each) => each.trim());

export const text = kind((given) => given || undefined, 'must not be empty');

/** Visible ASCII: it is sent in a header. */
export const token = kind(
  (given) => (/^[!-~]{16,}$/.test(given) ? given : undefined),
  'must have at least 16 visible ASCII characters and no spaces',
);

const flags = new Map([
  ...['true', '1', 'yes', 'on'].map((word) => [word, true] as const),
  ...['false', '0', 'no', 'off'].map((word) => [word, false] as const),
]);

export const allowed = kind(
  (given) => parseAllowed(given.toLowerCase() === 'none' ? [] : listOf(given)),
  'must be `none`, or names, addresses and networks such as 10.0.0.0/8, by commas',
);

export const flag = kind(
  (given) => flags.get(given.toLowerCase()),
  'must be one of true, false, 1, 0, yes, no, on, off',
);

/** Needs limits: a timer of more than 24 days fires at once, and dates end in the year 275760. */
export const duration = (least: string, most: string) =>
  kind((given) => {
    const ms = parseDuration(given) ?? -1;
    return ms >= (parseDuration(least) as number) && ms <= (parseDuration(most) as number) ? ms : undefined;
  }, `must be a number of seconds or a duration such as 15m, 12h, 7d, from ${least} to ${most}`);

export const rate = kind(
  unlessOff(parseRate),
  'must be a count and a duration of at most 7d such as 20/1h or 60/1m, or off',
);

export const quota = kind(
  unlessOff((given) => (/^[1-9]\d{0,14}$/.test(given) ? Number(given) : undefined)),
  'must be a whole number from 1, or off',
);

export const sizeQuota = kind(
  unlessOff((given) => parseSize(given) || undefined),
  'must be a number of bytes or a size such as 10GiB, or off',
);

export const trust = kind(
  unlessOff(parseTrust),
  'must be off, a number of proxies from 1 to 99, or addresses such as 10.0.0.0/8, ::1, loopback, uniquelocal, separated by commas',
);

export const origins = kind((given) => listOf(given).filter(Boolean), '');

function parseFullList(text: string): string[] | undefined {
  const list = listOf(text);
  return list.includes('') ? undefined : list;
}

export const names = kind(parseFullList, 'must be names by commas, none of them empty');

export const secrets = kind(parseFullList, 'must not be empty, nor have nothing before or after a comma');

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

const isHttp = (text: string) => /^https?:\/\/./.test(text) && URL.canParse(text);

export const httpUrl = kind(
  (given) => (isHttp(given) ? given : undefined),
  'must begin with http:// or https://, and be a URL',
);

/** `https://sluice.example/` → its origin; undefined for an address with more than that. */
function parseOrigin(text: string): string | undefined {
  const url = isHttp(text) ? new URL(text) : undefined;
  return url?.href === `${url?.origin}/` ? url?.origin : undefined;
}

export const origin = kind(parseOrigin, 'must be an address without a path, such as https://sluice.example');

export const smtpUrl = kind(
  (given) => (/^smtps?:\/\/[^/]/.test(given) && URL.parse(given)?.hostname ? given : undefined),
  'must begin with smtp:// or smtps://, and be a URL: what is special in a password is written %40',
);

export interface Mailbox {
  name: string;
  address: string;
}

/** `Sluice <sluice@example.com>` → its parts; the name may be absent. */
function parseMailbox(text: string): Mailbox | undefined {
  const [, name = '', inner = ''] = /^([^<>"\r\n]*)<([^<>]*)>$/.exec(text) ?? [];
  const address = (inner || text).trim();
  return /^[^\s@<>,;:"]+@[^\s@<>,;:"]+$/.test(address) ? { name: name.trim(), address } : undefined;
}

export const mailbox = kind(
  parseMailbox,
  'must be an address such as sluice@example.com or Sluice <sluice@example.com>',
);

/** A path, or a bucket with its place. */
function parseFolder(text: string): string | FolderBucket | undefined {
  if (!text.startsWith('s3:')) return text || undefined;
  const [, bucket, prefix = ''] =
    /^s3:\/\/([a-z0-9][a-z0-9.-]+[a-z0-9])(?:\/([^?#]*))?(?:\?|$)/.exec(text) ?? [];
  const { endpoint, region, ...others } = Object.fromEntries(URL.parse(text)?.searchParams ?? []);
  if (!bucket || Object.keys(others).length > 0 || (endpoint && !isHttp(endpoint))) return undefined;
  return { bucket, prefix, ...(endpoint && { endpoint }), ...(region && { region }) };
}

export interface FolderBucket {
  bucket: string;
  prefix: string;
  endpoint?: string;
  region?: string;
}

export const folder = kind(
  parseFolder,
  'must be a folder, or a bucket such as s3://lake/sluice?region=eu-central-1, or s3://lake/sluice?endpoint=https://s3.example',
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
