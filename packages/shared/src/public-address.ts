import ipaddr from 'ipaddr.js';

/** Names and networks that webhooks may reach although they are private. */
export interface Allowed {
  names: Set<string>;
  networks: [ipaddr.IPv4 | ipaddr.IPv6, number][];
}

/** `localhost`, `10.0.0.0/8`, `fd00::1`; undefined for what is neither a name nor a network. */
export function parseAllowed(parts: string[]): Allowed | undefined {
  const allowed: Allowed = { names: new Set(), networks: [] };
  for (const part of parts)
    if (ipaddr.isValidCIDR(part)) allowed.networks.push(ipaddr.parseCIDR(part));
    else if (ipaddr.isValid(part)) {
      const address = ipaddr.process(part);
      allowed.networks.push([address, address.kind() === 'ipv4' ? 32 : 128]);
    } else if (/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i.test(part)) allowed.names.add(part.toLowerCase());
    else return undefined;
  return allowed;
}

/** For addresses that the operator gives, who may have private ones. */
export const everywhere = parseAllowed(['0.0.0.0/0', '::/0']) as Allowed;

const isIn = (address: ipaddr.IPv4 | ipaddr.IPv6, [network, bits]: Allowed['networks'][number]) =>
  address.kind() === network.kind() && address.match(network, bits);

/** The rest of IPv6 is not assigned. */
const globalIpv6: Allowed['networks'][number] = ipaddr.parseCIDR('2000::/3');

/** Whether a host on the internet has the address, or the operator allows it. IPv4 within IPv6 counts as IPv4. */
export function isReachable(text: string, { networks }: Allowed): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.process(text);
  const isPublic = address.range() === 'unicast' && (address.kind() === 'ipv4' || isIn(address, globalIpv6));
  return isPublic || networks.some((network) => isIn(address, network));
}
