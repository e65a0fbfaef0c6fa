export type FairQueue<T> = ReturnType<typeof createFairQueue<T>>;

/** A queue that takes one item of each client in turn, however many items a client has. */
export function createFairQueue<T>() {
  const clients = new Map<string, T[]>();
  let size = 0;
  return {
    size: () => size,

    push(client: string, item: T): void {
      const own = clients.get(client);
      if (own) own.push(item);
      else clients.set(client, [item]);
      size += 1;
    },

    /** Takes an item out before its turn, if it is still there. */
    remove(client: string, item: T): void {
      const own = clients.get(client) ?? [];
      const at = own.indexOf(item);
      if (at < 0) return;
      own.splice(at, 1);
      if (own.length === 0) clients.delete(client);
      size -= 1;
    },

    /** Takes the next item and puts its client behind the others. */
    take(): T | undefined {
      for (const [client, own] of clients) {
        const first = own.shift();
        clients.delete(client);
        if (own.length > 0) clients.set(client, own);
        size -= 1;
        return first;
      }
      return undefined;
    },
  };
}
