import { createHash } from 'node:crypto';
import { ApiError } from '@sluice/shared/errors.ts';
import { idempotencyKeyPattern } from '../entries/contract.ts';

const form = new RegExp(idempotencyKeyPattern);

/** The value of the header `Idempotency-Key`, as the API's description has it. Throws ApiError. */
export function idempotencyKey(given: string): string {
  if (form.test(given)) return given;
  const message = 'must be 1 to 128 visible ASCII characters';
  throw new ApiError('InvalidRequestError', `the header Idempotency-Key ${message}`, {
    details: [{ in: 'headers', path: '/idempotency-key', keyword: 'pattern', message }],
  });
}

/** 16 bytes that are the same for every retry. Uploads and batches each have their own keys. */
export function hashIdempotencyKey(kind: 'upload' | 'batch', applicationId: string, key: string): Buffer {
  return shortHash(`${kind}\0${applicationId}\0${key}`);
}

/** The same for one line of a batch. */
export function lineHash(ofBatch: Buffer, line: number): Buffer {
  return shortHash(`${ofBatch.toString('hex')}\0${line}`);
}

const shortHash = (text: string) => createHash('sha256').update(text).digest().subarray(0, 16);
