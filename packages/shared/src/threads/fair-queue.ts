export interface QueueLimits {
  /** Of one client, beside what is worked on. */
  waitingOfClient: number;
  /** Of all clients. */
  waiting: number;
}

/** What waits, by client: each has its turn, however much the others have waiting. */
export function createFairQueue<T>({ waitingOfClient, waiting }: QueueLimits) {
  const clients = new Map<string, T[]>();
  let size = 0;
  return {
    size: () => size,

    /** False when the queue is full for this client: then nothing was added. */
    push(client: string, item: T): boolean {
      const own = clients.get(client) ?? [];
      if (size >= waiting || own.length >= waitingOfClient) return false;
      own.push(item);
      clients.set(client, own);
      size += 1;
      return true;
    },

    /** The next item; its client is behind all others then. */
    take(): T | undefined {
      for (const [client, own] of clients) {
        const item = own.shift();
        clients.delete(client);
        if (own.length > 0) clients.set(client, own);
        size -= 1;
        return item;
      }
      return undefined;
    },
  };
}
