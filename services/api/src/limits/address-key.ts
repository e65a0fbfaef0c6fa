import { isIPv6 } from 'node:net';

/**
 * What counts as one client: an IPv4 address, or the /64 of an IPv6 address, which is what a subscriber gets at least.
 * What is no address at all, as a proxy may say it, counts as it is.
 */
export function addressKey(address: string): string {
  // There is none when the client has gone.
  const plain = (address ?? '').split('%')[0] as string;
  if (!isIPv6(plain)) return plain.slice(0, 64);
  const groups = toGroups(plain);
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  if (isMapped)
    return groups
      .slice(6)
      .flatMap((group) => [group >> 8, group & 0xff])
      .join('.');
  return `${groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')}::/64`;
}

/** The eight numbers of an IPv6 address; URL knows all ways to write one. */
function toGroups(address: string): number[] {
  const written = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [before = [], after] = written.split('::').map((half) =>
    half
      .split(':')
      .filter(Boolean)
      .map((group) => Number.parseInt(group, 16)),
  );
  if (!after) return before;
  return [...before, ...Array(8 - before.length - after.length).fill(0), ...after];
}
