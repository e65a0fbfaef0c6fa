import { isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * What counts as one client: an IPv4 address, or the /64 of an IPv6 address, which is what a subscriber gets at least.
 * What is no address at all, as a proxy may say it, counts as it is.
 */
export function addressKey(address: string): string {
  // There is none when the client has gone.
  const plain = (address ?? '').split('%')[0] as string;
  if (!isIPv6(plain)) return plain.slice(0, 64);
  const parsed = ipaddr.process(plain);
  if (!(parsed instanceof ipaddr.IPv6)) return parsed.toString();
  const groups = parsed.parts.slice(0, 4).map((group) => group.toString(16));
  return `${groups.join(':')}::/64`;
}

/** The network of an address, which says where it is from but not whose it is: a /24 of IPv4, a /48 of IPv6. */
export function networkOf(address: string): string | undefined {
  const plain = (address ?? '').split('%')[0] as string;
  if (!ipaddr.isValid(plain)) return undefined;
  const parsed = ipaddr.process(plain);
  const bytes = parsed.toByteArray();
  const length = parsed.kind() === 'ipv4' ? 3 : 6;
  return `${ipaddr.fromByteArray(bytes.fill(0, length))}/${8 * length}`;
}
