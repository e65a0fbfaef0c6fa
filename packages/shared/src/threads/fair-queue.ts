/** An item counts 1, or what it weighs. */
export interface QueueLimits {
  /** Of one client, beside what is worked on. */
  waitingOfClient: number;
  /** Of all clients. */
  waiting: number;
}

interface Waiting<T> {
  items: { item: T; weight: number }[];
  weight: number;
}

/** What waits, by client: each has its turn, however much the others have waiting. */
export function createFairQueue<T>({ waitingOfClient, waiting }: QueueLimits) {
  const clients = new Map<string, Waiting<T>>();
  let size = 0;
  let total = 0;
  return {
    size: () => size,

    /** False when the queue is full for this client: then nothing was added. */
    push(client: string, item: T, weight = 1): boolean {
      const own = clients.get(client) ?? { items: [], weight: 0 };
      if (total + weight > waiting || own.weight + weight > waitingOfClient) return false;
      own.items.push({ item, weight });
      own.weight += weight;
      clients.set(client, own);
      size += 1;
      total += weight;
      return true;
    },

    /** The next item; its client is behind all others then. */
    take(): T | undefined {
      for (const [client, own] of clients) {
        const first = own.items.shift();
        clients.delete(client);
        if (!first) continue;
        if (own.items.length > 0) clients.set(client, own);
        own.weight -= first.weight;
        total -= first.weight;
        size -= 1;
        return first.item;
      }
      return undefined;
    },
  };
}
