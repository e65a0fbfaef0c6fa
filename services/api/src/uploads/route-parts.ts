import type { RefusedUpload } from '@sluice/intake/refused/refused-upload.ts';
import type { FastifyReply } from 'fastify';
import { networkOf } from '../limits/address-key.ts';
import type { UploadRate } from '../limits/rate.ts';

/** Counts entries of an application against its limit, before anything is stored. */
export const spending = (rate: UploadRate, reply: FastifyReply) => (applicationId: string, entries: number) =>
  reply.headers(rate.take(applicationId, entries));

/** Without the first, an application would need a key always. */
export const keyed: Record<string, string[]>[] = [{}, { ingestKey: [] }];
export const aboutKeys =
  ' If the application has `key_required`, send one of its ingest keys as `X-Api-Key` or as `Authorization: Bearer sk_…`.';

/** Who sent an upload, as its owner may know it: the key, or else the network. */
export const senderOf =
  (address: string, key: string | undefined): RefusedUpload['sender'] =>
  () =>
    key === undefined ? { network: networkOf(address) } : { key };
