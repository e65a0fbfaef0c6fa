import Bowser from 'bowser';
import ipaddr from 'ipaddr.js';
import { plainAddress } from '../limits/rate.ts';

const unknown = 'unknown';

/** `Firefox on Windows` for a browser; else the first word of its `User-Agent`. */
export function browserOf(userAgent = ''): string {
  const agent = userAgent.slice(0, 256);
  if (agent === '') return unknown;
  const { browser, os } = Bowser.parse(agent);
  if (browser.name && os.name) return `${browser.name} on ${os.name}`.slice(0, 60);
  return agent.split(' ', 1)[0]?.slice(0, 60) || unknown;
}

/** The /24 of an IPv4 address, the /48 of an IPv6 address. */
export function networkOf(address: string): string {
  const plain = plainAddress(address);
  if (!ipaddr.isValid(plain)) return unknown;
  const parsed = ipaddr.process(plain);
  return parsed instanceof ipaddr.IPv4
    ? `${ipaddr.IPv4.networkAddressFromCIDR(`${parsed}/24`)}/24`
    : `${ipaddr.IPv6.networkAddressFromCIDR(`${parsed}/48`)}/48`;
}
