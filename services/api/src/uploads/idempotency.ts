import { createHash } from 'node:crypto';
import { ApiError, notConfirmed, unavailable } from '@sluice/shared/errors.ts';
import type { Outcome } from '@sluice/store/entries/entries.ts';
import { idempotencyKeyPattern } from '../entries/contract.ts';

const form = new RegExp(idempotencyKeyPattern);

/** Throws ApiError for a value of `Idempotency-Key` that breaks its pattern. */
export function idempotencyKey(given: string): string {
  if (form.test(given)) return given;
  const message = 'must be 1 to 128 visible ASCII characters';
  throw new ApiError('InvalidRequestError', `the header Idempotency-Key ${message}`, {
    details: [{ in: 'headers', path: '/idempotency-key', keyword: 'pattern', message }],
  });
}

/** 16 bytes, the same for every retry. Uploads and batches each have their own keys. */
export function hashIdempotencyKey(kind: 'upload' | 'batch', applicationId: string, key: string): Buffer {
  return shortHash(`${kind}\0${applicationId}\0${key}`);
}

/** The hash for one line of a batch. */
export function lineHash(ofBatch: Buffer, line: number): Buffer {
  return shortHash(`${ofBatch.toString('hex')}\0${line}`);
}

const shortHash = (text: string) => createHash('sha256').update(text).digest().subarray(0, 16);

/** The error of an entry that was not stored, or not certainly; undefined for a stored entry. */
export function outcomeError(outcome: Outcome): ApiError | undefined {
  if (outcome === 'stored' || outcome === 'repeated') return undefined;
  if (outcome === 'conflicting') {
    return new ApiError(
      'ResourceConflictError',
      'this Idempotency-Key was used for another payload; nothing was stored',
    );
  }
  return outcome === 'refused'
    ? unavailable('the database did not take the entry; nothing was stored')
    : unavailable(notConfirmed);
}
