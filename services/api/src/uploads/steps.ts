import type { IncomingHttpHeaders } from 'node:http';
import type { RefusedUpload } from '@sluice/intake/refused/refused-upload.ts';
import { ApiError } from '@sluice/shared/errors.ts';
import type { Sender, SenderSource } from '@sluice/store/applications/senders.ts';
import ipaddr from 'ipaddr.js';
import { idempotencyKeyPattern } from '../http/schemas.ts';
import type { Sent } from '../known/keyring.ts';

/** The empty alternative says that a key is optional. */
export const keyed: Record<string, string[]>[] = [{}, { ingestKey: [] }];
export const aboutKeys =
  ' If the application has `key_required`, send one of its ingest keys as `X-Api-Key` or as `Authorization: Bearer sk_…`.';

const form = new RegExp(idempotencyKeyPattern);

/** The value of the header `Idempotency-Key`, if it is sent. Throws ApiError if the value breaks its pattern. */
export function idempotencyKey({ 'idempotency-key': given }: IncomingHttpHeaders): string | undefined {
  if (given === undefined || form.test(String(given))) return given as string | undefined;
  const message = 'must be 1 to 128 visible ASCII characters';
  throw new ApiError('InvalidRequestError', `the header Idempotency-Key ${message}`, {
    details: [{ in: 'headers', path: '/idempotency-key', keyword: 'pattern', message }],
  });
}

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
export const networkOrKey =
  (address: string, sent: Sent | undefined): RefusedUpload['sender'] =>
  () =>
    sent ? { key: sent.id, user: sent.user } : { network: networkOf(address) };

/** The id of the ingest key; undefined for none and for a personal token. */
export const keyOf = (sent: Sent | undefined): string | undefined => (sent?.user ? undefined : sent?.id);

export const senderOf = (source: SenderSource, sent: Sent | undefined): Sender => ({
  source,
  ...(sent && (sent.user ? { user: sent.user } : { key: sent.id })),
});
