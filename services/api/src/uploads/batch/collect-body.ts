import type { IncomingMessage } from 'node:http';
import { ApiError, unavailable } from '@sluice/shared/errors.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** Of the bodies of all batches that one process holds at once. */
const heldLimit = 128 * 1024 ** 2;

/**
 * Takes bodies whole before anything of them is stored: one that is cut off, or over the limit, stores nothing.
 * What is held in all is bounded; `begin` is called first, so that what a request holds ends with its answer.
 */
export function createCollectBody(limit: number) {
  const holding = new WeakMap<FastifyRequest, { bytes: number }>();
  let held = 0;

  return {
    begin(request: FastifyRequest, reply: FastifyReply): void {
      const own = { bytes: 0 };
      holding.set(request, own);
      reply.raw.once('close', () => {
        held -= own.bytes;
      });
    },

    /** Rejects with an ApiError. */
    collect(request: FastifyRequest, stream: IncomingMessage): Promise<Buffer> {
      const own = holding.get(request) as { bytes: number };
      const chunks: Buffer[] = [];
      return new Promise((resolve, reject) => {
        function take(chunk: Buffer): void {
          own.bytes += chunk.length;
          held += chunk.length;
          if (own.bytes > limit) refuse(tooLarge(limit));
          else if (held > heldLimit) refuse(tooMany());
          else chunks.push(chunk);
        }
        function refuse(error: ApiError): void {
          stream.off('data', take);
          chunks.length = 0;
          reject(error);
        }
        if (Number(request.headers['content-length']) > limit) refuse(tooLarge(limit));
        else {
          stream.once('error', reject).once('end', () => resolve(Buffer.concat(chunks)));
          stream.on('data', take);
        }
      });
    },
  };
}

const tooLarge = (limit: number) =>
  new ApiError('PayloadTooLargeError', `the body is over the limit of ${limit} bytes; nothing was stored`);

const tooMany = () => unavailable('too many batches at once; nothing was stored', 1);
