import type { IncomingMessage } from 'node:http';
import { ApiError } from '@sluice/shared/errors.ts';
import type { Patience } from './connections/slow-bodies.ts';

/** `limit` in bytes, of the body before its encoding too. */
export const tooLarge = (limit: number) =>
  new ApiError('PayloadTooLargeError', `the body is over the limit of ${limit} bytes; nothing was stored`);
const cutOff = (cause?: unknown) =>
  new ApiError('InvalidRequestError', 'the body is cut off; nothing was stored', { cause });

/**
 * The body of a request in the pieces in which it comes, none before it is asked for. Rejects when the body is cut off, or
 * over the limit. What comes after its end is read and forgotten, so that the client gets to see the answer.
 */
export async function* piecesOf(
  request: IncomingMessage,
  limit: number,
  patience?: Patience,
): AsyncGenerator<Buffer, void> {
  // Before anything of it is read, or asked for.
  if (Number(request.headers['content-length']) > limit) throw tooLarge(limit);
  const pieces = request.iterator({ destroyOnReturn: false });
  // `100 Continue` is said to who resumes a request, which an iterator does not.
  request.emit('resume');
  let length = 0;
  try {
    for (;;) {
      if (patience) patience.since = performance.now();
      const { value, done } = await pieces.next().catch((error) => {
        throw cutOff(error);
      });
      if (patience) patience.since = undefined;
      if (done && !request.complete) throw cutOff();
      if (done) return;
      length += value.length;
      if (length > limit) throw tooLarge(limit);
      yield value;
    }
  } finally {
    await pieces.return?.();
    patience?.end();
    request.resume();
  }
}
