import type { FastifyReply } from 'fastify';

interface Bounds {
  /** In one process. */
  most: number;
  /** Some room is left for others. */
  mostOfClient: number;
}

/** Bounds what a process holds for requests, counted until their work is over and their answers have gone: either may be first. */
export function createHeldBytes({ most, mostOfClient }: Bounds) {
  let held = 0;
  const heldOf = new Map<string, number>();

  return ({ raw }: FastifyReply, client: string) => {
    let own = 0;
    let counted = 0;
    let isWorking = false;

    function settle(): void {
      const now = isWorking || !(raw.closed || raw.destroyed) ? own : 0;
      held += now - counted;
      const ofClient = (heldOf.get(client) ?? 0) + now - counted;
      if (ofClient > 0) heldOf.set(client, ofClient);
      else heldOf.delete(client);
      counted = now;
    }
    raw.once('close', settle);

    return {
      /** False where that would be too much. */
      take(bytes: number): boolean {
        if (held + bytes > most || (heldOf.get(client) ?? 0) + bytes > mostOfClient) return false;
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
