import type { FastifyReply } from 'fastify';

/** Bounds what a process holds for requests: counts it by request until its answer has gone. */
export function createHeldBytes(limit: number) {
  let held = 0;
  return (reply: FastifyReply) => {
    let own = 0;
    reply.raw.once('close', () => {
      held -= own;
    });
    /** False where that would be too much. */
    return (bytes: number): boolean => {
      if (held + bytes > limit) return false;
      held += bytes;
      own += bytes;
      return true;
    };
  };
}

export type Hold = ReturnType<ReturnType<typeof createHeldBytes>>;
