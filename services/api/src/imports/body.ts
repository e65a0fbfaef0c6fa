import type { IncomingMessage } from 'node:http';
import { ApiError } from '@sluice/shared/errors.ts';
import { patienceFor } from '../http/connections/slow-bodies.ts';

export interface Body {
  /** Read once. Rejects when the body is cut off, or goes over the limit. */
  pieces: AsyncIterable<Buffer>;
  /** What is still to come is read and forgotten, so that the client gets to see the answer. */
  abandon(): void;
}

/** The body of a request in the pieces in which it comes, none before it is asked for. */
export function bodyOf(request: IncomingMessage, limit: number): Body {
  const patience = patienceFor(request);
  const arrived: Buffer[] = [];
  let length = 0;
  let state: 'open' | 'ended' | 'cut off' | 'abandoned' = request.destroyed ? 'cut off' : 'open';
  let wake = () => {};

  function settle(next: typeof state): void {
    if (state === 'open') state = next;
    wake();
  }
  const take = (piece: Buffer) => {
    if (state !== 'open') return;
    arrived.push(piece);
    request.pause();
    wake();
  };
  request.on('data', take);
  request.once('end', () => settle(request.complete ? 'ended' : 'cut off'));
  request.once('error', () => settle('cut off')).once('close', () => settle('cut off'));
  request.pause();

  async function* pieces(): AsyncGenerator<Buffer> {
    for (;;) {
      const piece = arrived.shift();
      if (piece) {
        length += piece.length;
        if (length > limit) throw tooLarge(limit);
        yield piece;
      } else if (state === 'open') {
        const woken = new Promise<void>((resolve) => {
          wake = resolve;
        });
        patience.since = performance.now();
        request.resume();
        await woken;
        patience.since = undefined;
      } else if (state === 'cut off') {
        throw new ApiError('InvalidRequestError', 'the body is cut off; nothing was stored');
      } else return;
    }
  }

  return {
    pieces: pieces(),
    abandon() {
      settle('abandoned');
      patience.end();
      request.resume();
    },
  };
}

const tooLarge = (limit: number) =>
  new ApiError('PayloadTooLargeError', `the body is over the limit of ${limit} bytes; nothing was stored`);
