import { isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * One client: an IPv4 address, or the /64 of an IPv6 address, the least that a subscriber gets. Other text, which a proxy
 * may send, counts as it is.
 */
export function addressKey(address: string): string {
  // Undefined once the client has left.
  const plain = (address ?? '').split('%')[0] as string;
  if (!isIPv6(plain)) return plain.slice(0, 64);
  const parsed = ipaddr.process(plain);
  if (!(parsed instanceof ipaddr.IPv6)) return parsed.toString();
  const groups = parsed.parts.slice(0, 4).map((group) => group.toString(16));
  return `${groups.join(':')}::/64`;
}
