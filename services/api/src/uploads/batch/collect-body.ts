import type { IncomingMessage } from 'node:http';
import { decode } from '@sluice/intake/receive/decode.ts';
import { bodyTooLarge } from '@sluice/shared/errors.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { noteBeginning } from '../../http/beginnings.ts';
import { piecesOf } from '../../http/body.ts';
import { encodingOf } from '../../http/json-body.ts';
import type { Capacity, CapacityLease } from '../../limits/capacity.ts';
import { addressKey } from '../../limits/rate.ts';

const firstBytes = 64 * 1024;

/**
 * Collects and decompresses whole bodies, so that a body that is cut off or too large stores nothing. Call `begin` first.
 *
 * The bytes count towards the capacity of the address, as the owner is not known yet.
 */
export function createCollectBody(limit: number, capacity: Pick<Capacity, 'lease'>) {
  const leases = new WeakMap<FastifyRequest, CapacityLease>();

  return {
    begin(request: FastifyRequest, reply: FastifyReply): void {
      leases.set(request, capacity.lease(reply, addressKey(request.ip)));
    },

    /** Keeps the capacity in use while the body is needed. */
    during<T>(request: FastifyRequest, work: () => Promise<T>): Promise<T> {
      return (leases.get(request) as CapacityLease).during(work);
    },

    /** Throws ApiError. */
    async collect(request: FastifyRequest, stream: IncomingMessage): Promise<Buffer> {
      const lease = leases.get(request) as CapacityLease;
      // One buffer that grows: a list of one-byte pieces would cost a hundred times the length of the body.
      let body: Buffer = Buffer.alloc(0);
      let length = 0;
      const encoding = encodingOf(request.headers['content-encoding']);
      const pieces = piecesOf(stream, limit);
      for await (const piece of encoding ? decode(pieces, encoding) : pieces) {
        if (length === 0) noteBeginning(request, piece);
        const needed = length + piece.length;
        if (needed > limit) throw bodyTooLarge(limit);
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
