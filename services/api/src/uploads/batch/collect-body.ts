import type { IncomingMessage } from 'node:http';
import { ApiError } from '@sluice/shared/errors.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { addressKey } from '../../limits/address-key.ts';
import type { Capacity, Lease } from '../../limits/capacity.ts';

const firstBytes = 64 * 1024;

/**
 * Takes bodies whole before anything of them is stored: one that is cut off, or over the limit, stores nothing.
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
    collect(request: FastifyRequest, stream: IncomingMessage): Promise<Buffer> {
      const lease = leases.get(request) as Lease;
      // One buffer that grows: a body in pieces of a byte would cost a hundred times its length as a list.
      let body = Buffer.alloc(0);
      let length = 0;
      return new Promise((resolve, reject) => {
        function take(chunk: Buffer): void {
          const needed = length + chunk.length;
          try {
            if (needed > limit) throw tooLarge(limit);
            if (needed > body.length) grow(needed);
            length += chunk.copy(body, length);
          } catch (error) {
            refuse(error);
          }
        }
        function grow(needed: number): void {
          const size = Math.min(limit, Math.max(needed, 2 * body.length, firstBytes));
          lease.take(size - body.length);
          const grown = Buffer.allocUnsafeSlow(size);
          body.copy(grown, 0, 0, length);
          body = grown;
        }
        function refuse(error: unknown): void {
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
