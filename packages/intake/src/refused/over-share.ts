/** The most that each may have, so that all together have no more than the room. */
function shareOf(sizes: number[], room: number): number {
  const ascending = sizes.toSorted((a, b) => a - b);
  let left = room;
  for (const [at, size] of ascending.entries()) {
    const share = left / (ascending.length - at);
    if (size > share) return share;
    left -= size;
  }
  return Number.POSITIVE_INFINITY;
}

interface OverShare<Item> {
  items: Item[];
  share: number;
}

/**
 * The groups that have more than their share of the room, by the last key. Groups by the first key share the room, and
 * groups within them share theirs: what others leave is free for the rest.
 */
export function overShare<Item>(
  items: Item[],
  sizeOf: (item: Item) => number,
  room: number,
  [keyOf, ...further]: [(item: Item) => string, ...((item: Item) => string)[]],
): OverShare<Item>[] {
  const groups = [...Map.groupBy(items, keyOf).values()].map((own) => ({
    items: own,
    size: own.reduce((sum, item) => sum + sizeOf(item), 0),
  }));
  const share = shareOf(
    groups.map(({ size }) => size),
    room,
  );
  const [next, ...rest] = further;
  return groups
    .filter(({ size }) => size > share)
    .flatMap((group) =>
      next ? overShare(group.items, sizeOf, share, [next, ...rest]) : [{ items: group.items, share }],
    );
}
