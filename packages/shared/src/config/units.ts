import { isIP } from 'node:net';

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

/** `90`, `15m`, `12h`, `7d` → milliseconds (a bare number is seconds); undefined when it is no duration. */
export function parseDuration(text: string): number | undefined {
  const match = /^(\d{1,9})([smhd]?)$/.exec(text);
  return match ? Number(match[1]) * (durations[match[2] || 's'] as number) : undefined;
}

/** `1048576`, `512KiB`, `1MiB` → bytes; undefined when it is no size. */
export function parseSize(text: string): number | undefined {
  const match = /^(\d{1,12})(B|[KMGT]iB)?$/i.exec(text);
  return match ? Number(match[1]) * (sizes[(match[2] ?? '').toUpperCase()] as number) : undefined;
}

/** `1000000` → so many; undefined for anything else, such as none. */
export const parseQuota = (text: string) => (/^[1-9]\d{0,14}$/.test(text) ? Number(text) : undefined);

/** So many within so long. */
export interface Rate {
  count: number;
  durationMs: number;
}

const longestMs = 7 * 86_400 * second;

/** `20/1h`, `60/1m` → a rate; undefined for anything else, such as no time at all or more than a week. */
export function parseRate(text: string): Rate | undefined {
  const match = /^(\d{1,9})\/(.+)$/.exec(text);
  const count = Number(match?.[1]);
  const durationMs = parseDuration(match?.[2] ?? '') ?? 0;
  return count >= 1 && durationMs >= second && durationMs <= longestMs ? { count, durationMs } : undefined;
}

/** Names of ranges of addresses, as Fastify knows them. */
const ranges = ['loopback', 'linklocal', 'uniquelocal'];

function isRange(text: string): boolean {
  const [address = '', bits, ...more] = text.split('/');
  const version = isIP(address);
  if (version === 0 || more.length > 0) return ranges.includes(text);
  if (bits === undefined) return true;
  return /^\d{1,3}$/.test(bits) && Number(bits) >= 1 && Number(bits) <= (version === 4 ? 32 : 128);
}

/** `2` → so many proxies, `10.0.0.0/8, loopback` → their addresses; undefined for anything else. */
export function parseTrust(text: string): number | string[] | undefined {
  if (/^[1-9]\d?$/.test(text)) return Number(text);
  const addresses = text.split(',').map((each) => each.trim());
  return addresses.every(isRange) ? addresses : undefined;
}

/** `true/1/yes/on` and `false/0/no/off` in any case → boolean; undefined for anything else. */
export function parseFlag(text: string): boolean | undefined {
  const word = text.toLowerCase();
  if (['true', '1', 'yes', 'on'].includes(word)) return true;
  if (['false', '0', 'no', 'off'].includes(word)) return false;
  return undefined;
}
