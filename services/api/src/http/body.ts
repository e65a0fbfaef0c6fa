import type { IncomingMessage } from 'node:http';
import { ApiError, bodyTooLarge } from '@sluice/shared/errors.ts';
import type { BodyPatience } from './connections/slow-bodies.ts';

const cutOff = (cause?: unknown) =>
  new ApiError('InvalidRequestError', 'the body is cut off; nothing was stored', { cause });

/**
 * The body of a request, piece by piece, with backpressure. Throws ApiError if the body is cut off or over the limit.
 *
 * When the reader stops early, the rest is discarded, so that the client receives the answer.
 */
export async function* piecesOf(
  request: IncomingMessage,
  limit: number,
  patience?: BodyPatience,
): AsyncGenerator<Buffer, void> {
  // Refused before `100 Continue` asks for the body.
  if (Number(request.headers['content-length']) > limit) throw bodyTooLarge(limit);
  const pieces = request.iterator({ destroyOnReturn: false });
  // `100 Continue` is sent on `resume`, which an iterator does not emit.
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
      if (length > limit) throw bodyTooLarge(limit);
      yield value;
    }
  } finally {
    await pieces.return?.();
    patience?.end();
    request.resume();
  }
}
