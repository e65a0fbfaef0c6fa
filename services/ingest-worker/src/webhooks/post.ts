import { type LookupAddress, lookup } from 'node:dns';
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { type Allowed, isReachable } from '@sluice/shared/public-address.ts';

export interface Posted {
  status: number;
  /** The first KiB of the answer. */
  body: string;
}

/** The receiver must not be reached. The message says why. */
export class Unreachable extends Error {}

const keptBytes = 1_024;
/** Limit on all bytes that a receiver sends, also on heads of status 103. */
const mostBytes = 64 * 1_024;

const isPrivate = (host: string, address: string) =>
  new Unreachable(
    host === address
      ? `${address} is a private address; the operator can allow it with WEBHOOK_ALLOW`
      : `${host} has the private address ${address}; the operator can allow it with WEBHOOK_ALLOW`,
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

/**
 * Posts JSON and follows no redirect. Ends after `timeoutMs`, or when the receiver sends too much.
 * Rejects with the reason, which names no secret.
 */
export function createPost(allowed: Allowed, { timeoutMs = 10_000, resolve = lookup } = {}) {
  const checked = createLookup(allowed, resolve);

  return async (url: string, headers: Record<string, string>, body: string): Promise<Posted> => {
    const { protocol, hostname } = new URL(url);
    const host = hostname.replace(/^\[|\]$/g, '');
    // Node looks up names alone.
    if (isIP(host) && !isReachable(host, allowed)) throw isPrivate(host, host);
    const signal = AbortSignal.timeout(timeoutMs);
    const request = protocol === 'https:' ? requestHttps : requestHttp;
    const answered = new Promise<Posted>((resolve, reject) => {
      const sent = request(
        url,
        { method: 'POST', headers, lookup: checked, signal, agent: false },
        (answer) => {
          const chunks: Buffer[] = [];
          let bytes = 0;
          const end = () => {
            resolve({
              status: answer.statusCode ?? 0,
              body: Buffer.concat(chunks).subarray(0, keptBytes).toString('utf8'),
            });
            sent.destroy();
          };
          answer.on('data', (chunk: Buffer) => {
            chunks.push(chunk);
            bytes += chunk.length;
            if (bytes >= keptBytes) end();
          });
          answer.once('end', end);
          answer.once('error', reject);
        },
      );
      sent.once('error', reject);
      sent.once('socket', (socket) => {
        let received = 0;
        // The reader of answers has each piece before it is counted, so one that is whole by then counts.
        socket.on('data', (piece: Buffer) => {
          received += piece.length;
          if (received > mostBytes) sent.destroy(new Error(`no answer within ${mostBytes / 1_024} KiB`));
        });
      });
      // A switch of protocols ends a request with nothing else.
      sent.once('close', () => reject(new Error('the connection ended without an answer')));
      sent.end(body);
    });
    return answered.catch((error) => {
      throw signal.aborted ? new Error(`no answer within ${timeoutMs / 1_000} s`) : error;
    });
  };
}

export type Post = ReturnType<typeof createPost>;
