import type { FastifyReply } from 'fastify';

/** Bounds what a process holds for requests, counted until their work is over and their answers have gone: either may be first. */
export function createHeldBytes(limit: number) {
  let held = 0;
  return ({ raw }: FastifyReply) => {
    let own = 0;
    let counted = 0;
    let isWorking = false;

    function settle(): void {
      const now = isWorking || !(raw.closed || raw.destroyed) ? own : 0;
      held += now - counted;
      counted = now;
    }
    raw.once('close', settle);

    return {
      /** False where that would be too much. */
      take(bytes: number): boolean {
        if (held + bytes > limit) return false;
        own += bytes;
        settle();
        return true;
      },
      /** Does what the bytes are held for. */
      async during<T>(work: () => Promise<T>): Promise<T> {
        isWorking = true;
        settle();
        try {
          return await work();
        } finally {
          isWorking = false;
          settle();
        }
      },
    };
  };
}

export type Hold = ReturnType<ReturnType<typeof createHeldBytes>>;
