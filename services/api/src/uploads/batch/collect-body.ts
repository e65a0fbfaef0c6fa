import type { IncomingMessage } from 'node:http';
import { ApiError, unavailable } from '@sluice/shared/errors.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { addressKey } from '../../limits/address-key.ts';
import { createHeldBytes, type Hold } from '../../limits/held-bytes.ts';

/** Of the bodies of all batches that one process holds at once. Of an address: whose application it is may not be known yet. */
const heldLimits = { most: 128 * 1024 ** 2, mostOfClient: 96 * 1024 ** 2 };
const firstBytes = 64 * 1024;

/**
 * Takes bodies whole before anything of them is stored: one that is cut off, or over the limit, stores nothing.
 * What is held in all is bounded; `begin` is called first, so that what a request holds is counted from then on.
 */
export function createCollectBody(limit: number) {
  const holdFor = createHeldBytes(heldLimits);
  const holding = new WeakMap<FastifyRequest, Hold>();

  return {
    begin(request: FastifyRequest, reply: FastifyReply): void {
      holding.set(request, holdFor(reply, addressKey(request.ip)));
    },

    /** Does what the body is needed for. */
    during<T>(request: FastifyRequest, work: () => Promise<T>): Promise<T> {
      return (holding.get(request) as Hold).during(work);
    },

    /** Rejects with an ApiError. */
    collect(request: FastifyRequest, stream: IncomingMessage): Promise<Buffer> {
      const hold = holding.get(request) as Hold;
      // One buffer that grows: a body in pieces of a byte would cost a hundred times its length as a list.
      let body = Buffer.alloc(0);
      let length = 0;
      return new Promise((resolve, reject) => {
        function take(chunk: Buffer): void {
          const needed = length + chunk.length;
          if (needed > limit) refuse(tooLarge(limit));
          else if (needed > body.length && !grow(needed)) refuse(tooMany());
          else length += chunk.copy(body, length);
        }
        function grow(needed: number): boolean {
          const size = Math.min(limit, Math.max(needed, 2 * body.length, firstBytes));
          if (!hold.take(size - body.length)) return false;
          const grown = Buffer.allocUnsafeSlow(size);
          body.copy(grown, 0, 0, length);
          body = grown;
          return true;
        }
        function refuse(error: ApiError): void {
          stream.off('data', take);
          body = Buffer.alloc(0);
          reject(error);
        }
        if (Number(request.headers['content-length']) > limit) refuse(tooLarge(limit));
        else {
          stream.once('error', reject).once('end', () => resolve(body.subarray(0, length)));
          stream.on('data', take);
        }
      });
    },
  };
}

const tooLarge = (limit: number) =>
  new ApiError('PayloadTooLargeError', `the body is over the limit of ${limit} bytes; nothing was stored`);

const tooMany = () => unavailable('too many batches at once; nothing was stored', 1);
