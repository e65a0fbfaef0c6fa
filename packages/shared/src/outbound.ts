import { type LookupAddress, lookup } from 'node:dns';
import {
  type ClientRequest,
  type IncomingMessage,
  type RequestOptions,
  request as requestHttp,
} from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { type Allowed, isReachable } from './public-address.ts';

/** The server of a URL must not be reached. The message says why. */
export class Unreachable extends Error {}

const isPrivate = (host: string, address: string) =>
  new Unreachable(
    host === address
      ? `${address} is a private address; the operator can allow it with OUTBOUND_ALLOW`
      : `${host} has the private address ${address}; the operator can allow it with OUTBOUND_ALLOW`,
  );

/** Resolves a name to addresses that may be reached: the connection goes to one of these, whatever the name resolves to later. */
export function createLookup(allowed: Allowed, resolve: typeof lookup = lookup): LookupFunction {
  return (name, options, done) => {
    const host = name.replace(/\.$/, '').toLowerCase();
    resolve(host, { ...options, all: true }, (error, found) => {
      if (error) return done(error, '');
      const addresses = found as LookupAddress[];
      const refused = allowed.names.has(host)
        ? undefined
        : addresses.find(({ address }) => !isReachable(address, allowed));
      const [first] = addresses;
      if (refused) return done(isPrivate(host, refused.address), '');
      if (!first) return done(new Error(`${host} has no address`), '');
      if (options.all) return done(null, addresses);
      done(null, first.address, first.family);
    });
  };
}

/** Throws Unreachable for an address in a URL, which Node.js never looks up. */
export function checkAddress(hostname: string, allowed: Allowed): void {
  const host = hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) && !isReachable(host, allowed)) throw isPrivate(host, host);
}

/** Like `request` of Node.js, for URLs of users: reaches only public addresses, and those that are allowed. Throws Unreachable. */
export function createRequest(allowed: Allowed, resolve: typeof lookup = lookup) {
  const checked = createLookup(allowed, resolve);
  return (
    url: string,
    options: RequestOptions,
    onAnswer: (answer: IncomingMessage) => void,
  ): ClientRequest => {
    const { protocol, hostname } = new URL(url);
    checkAddress(hostname, allowed);
    const request = protocol === 'https:' ? requestHttps : requestHttp;
    return request(url, { ...options, lookup: checked, agent: false }, onAnswer);
  };
}
