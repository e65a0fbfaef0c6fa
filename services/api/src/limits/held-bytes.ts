import type { FastifyReply } from 'fastify';
import { createTally } from './tally.ts';

interface Bounds {
  /** In one process. */
  most: number;
  /** Some room is left for others. */
  mostOfClient: number;
}

/** Bounds what a process holds for requests, counted until their work is over and their answers have gone: either may be first. */
export function createHeldBytes({ most, mostOfClient }: Bounds) {
  const held = createTally();

  return ({ raw }: FastifyReply, client: string) => {
    let own = 0;
    let counted = 0;
    let isWorking = false;

    function settle(): void {
      const now = isWorking || !(raw.closed || raw.destroyed) ? own : 0;
      held.add(client, now - counted);
      counted = now;
    }
    raw.once('close', settle);

    return {
      /** False where that would be too much. */
      take(bytes: number): boolean {
        if (held.all() + bytes > most || held.of(client) + bytes > mostOfClient) return false;
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
