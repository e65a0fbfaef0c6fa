/** Sums by client, and of all; a client that has nothing is forgotten. */
export function createTally() {
  const sums = new Map<string, number>();
  let all = 0;
  return {
    all: () => all,
    of: (client: string) => sums.get(client) ?? 0,
    add(client: string, amount: number): void {
      all += amount;
      const own = (sums.get(client) ?? 0) + amount;
      if (own > 0) sums.set(client, own);
      else sums.delete(client);
    },
  };
}
