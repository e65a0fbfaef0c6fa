import { ApiFailure } from '../api/answer.ts';
import type { Context } from '../context.ts';
import type { ShownRefusal } from './refusals.ts';

export interface PostedBatch {
  stored: number;
  /** Lines count within the batch. */
  refusals: ShownRefusal[];
}

interface BatchResult {
  accepted: number;
  errors: ShownRefusal[];
}

const isTooLarge = ({ status, retryAfter }: ApiFailure) =>
  status === 413 || (status === 429 && retryAfter === undefined);

/** Sends a batch until it is answered. `too large`: nothing was stored, and fewer lines may be taken. */
export async function postBatch(
  { api, path, retry }: Context,
  bytes: Buffer,
  key: string,
): Promise<PostedBatch | { tooLarge: ApiFailure }> {
  const headers = { 'content-type': 'application/x-ndjson', 'idempotency-key': key };
  try {
    const { data } = await retry(() =>
      api.ask<BatchResult>('POST', path('/data/batch'), { body: bytes, headers }),
    );
    return { stored: data.accepted, refusals: data.errors };
  } catch (error) {
    if (!(error instanceof ApiFailure)) throw error;
    if (isTooLarge(error)) return { tooLarge: error };
    const refusals = error.details.filter((detail): detail is ShownRefusal => detail.line !== undefined);
    if (error.status !== 422 || refusals.length === 0) throw error;
    return { stored: 0, refusals };
  }
}
