import { hash } from 'node:crypto';

// The hashes in `once` of an entry: of entries with the same hash, one is stored. A sender can add up the first 8 of 16 bytes too: they are those
// of the SHA-256 of the key or the value alone.

const sha256 = (text: string | Uint8Array): Buffer => hash('sha256', text, 'buffer');

const hashOf = (text: string, own: string): Buffer =>
  Buffer.concat([sha256(text).subarray(0, 8), sha256(own).subarray(0, 8)]);

/** 16 bytes, the same for every retry. Uploads and batches each have their own keys. */
export const hashIdempotencyKey = (kind: 'upload' | 'batch', applicationId: string, key: string): Buffer =>
  hashOf(key, `${kind}\0${applicationId}\0${key}`);

/** 17 bytes, which tell it from what a client can add up. */
export function lineHash(ofBatch: Buffer, line: number): Buffer {
  return sha256(`${ofBatch.toString('hex')}\0${line}`).subarray(0, 17);
}

/** What can be a unique value. */
export type UniqueValue = string | number | bigint | boolean;

export const isUniqueValue = (value: unknown): value is UniqueValue =>
  ['string', 'number', 'bigint', 'boolean'].includes(typeof value);

/** 16 bytes, the same for equal JSON values of the member at `path` of an application. */
export function hashUniqueValue(applicationId: string, path: string, value: UniqueValue): Buffer {
  const isText = typeof value === 'string';
  return hashOf(
    String(value),
    `unique\0${applicationId}\0${path}\0${isText ? JSON.stringify(value) : value}`,
  );
}

/** What an entry has in place of a unique value that it is too old to have. A sender that adds up values sees no difference. */
export const spentHash = (value: Uint8Array, holder: Uint8Array): Buffer =>
  Buffer.concat([value.subarray(0, 8), sha256(holder).subarray(0, 8)]);
