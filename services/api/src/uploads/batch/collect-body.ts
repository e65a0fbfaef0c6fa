import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { piecesOf, tooLarge } from '../../http/body.ts';
import { decode, encodingOf } from '../../http/decode.ts';
import { addressKey } from '../../limits/address-key.ts';
import type { Capacity, Lease } from '../../limits/capacity.ts';

const firstBytes = 64 * 1024;

/**
 * Takes bodies whole, and decompresses them, before anything of them is stored: one that is cut off, or over the limit, stores nothing.
 * Their bytes count for the address: whose application it is may not be known yet. `begin` is called first.
 */
export function createCollectBody(limit: number, capacity: Pick<Capacity, 'lease'>) {
  const leases = new WeakMap<FastifyRequest, Lease>();

  return {
    begin(request: FastifyRequest, reply: FastifyReply): void {
      leases.set(request, capacity.lease(reply, addressKey(request.ip)));
    },

    /** Does what the body is needed for. */
    during<T>(request: FastifyRequest, work: () => Promise<T>): Promise<T> {
      return (leases.get(request) as Lease).during(work);
    },

    /** Rejects with an ApiError. */
    async collect(request: FastifyRequest, stream: IncomingMessage): Promise<Buffer> {
      const lease = leases.get(request) as Lease;
      // One buffer that grows: a body in pieces of a byte would cost a hundred times its length as a list.
      let body: Buffer = Buffer.alloc(0);
      let length = 0;
      const encoding = encodingOf(request.headers['content-encoding']);
      const pieces = piecesOf(stream, limit);
      for await (const piece of encoding ? decode(pieces, encoding) : pieces) {
        const needed = length + piece.length;
        if (needed > limit) throw tooLarge(limit);
        if (needed > body.length) {
          const size = Math.min(limit, Math.max(needed, 2 * body.length, firstBytes));
          lease.take(size - body.length);
          const grown = Buffer.allocUnsafeSlow(size);
          body.copy(grown, 0, 0, length);
          body = grown;
        }
        length += piece.copy(body, length);
      }
      return body.subarray(0, length);
    },
  };
}
