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

/** `true/1/yes/on` and `false/0/no/off` in any case → boolean; undefined for anything else. */
export function parseFlag(text: string): boolean | undefined {
  const word = text.toLowerCase();
  if (['true', '1', 'yes', 'on'].includes(word)) return true;
  if (['false', '0', 'no', 'off'].includes(word)) return false;
  return undefined;
}
