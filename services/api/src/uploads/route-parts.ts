import type { RefusedUpload } from '@sluice/intake/refused/refused-upload.ts';
import type { FastifyReply } from 'fastify';
import ipaddr from 'ipaddr.js';
import type { UploadRate } from '../limits/rate.ts';

/** Counts entries towards the rate limit of their application, and sets its headers. */
export const spending = (rate: UploadRate, reply: FastifyReply) => (applicationId: string, entries: number) =>
  reply.headers(rate.take(applicationId, entries));

/** The empty alternative says that a key is optional. */
export const keyed: Record<string, string[]>[] = [{}, { ingestKey: [] }];
export const aboutKeys =
  ' If the application has `key_required`, send one of its ingest keys as `X-Api-Key` or as `Authorization: Bearer sk_…`.';

/** The network of an address tells where a sender is, not who: a /24 of IPv4, a /48 of IPv6. */
function networkOf(address: string): string | undefined {
  const plain = (address ?? '').split('%')[0] as string;
  if (!ipaddr.isValid(plain)) return undefined;
  const parsed = ipaddr.process(plain);
  const bytes = parsed.toByteArray();
  const length = parsed.kind() === 'ipv4' ? 3 : 6;
  return `${ipaddr.fromByteArray(bytes.fill(0, length))}/${8 * length}`;
}

/** What the owner may know about a sender: the key, or else the network. */
export const senderOf =
  (address: string, key: string | undefined): RefusedUpload['sender'] =>
  () =>
    key === undefined ? { network: networkOf(address) } : { key };
