import type { Binary, Collection, Filter, FindOptions } from 'mongodb';
import type { EntryDocument } from './entry-document.ts';
import { isNear } from './entry-id.ts';

/**
 * What finds the entries with these keys, in their order. Each is of keys that are near one another: MongoDB looks at all entries
 * between the first and the last key. Without the bounds it looks at all there are.
 */
export function nearKeys(keys: Binary[]): Filter<EntryDocument>[] {
  const groups: [Binary, ...Binary[]][] = [];
  for (const key of keys.toSorted((a, b) => Buffer.compare(a.buffer, b.buffer))) {
    const group = groups.at(-1);
    if (group && isNear(group.at(-1) as Binary, key)) group.push(key);
    else groups.push([key]);
  }
  return groups.map((group) => {
    const [first] = group;
    return group.length === 1
      ? { _id: first }
      : { _id: { $in: group, $gte: first, $lte: group.at(-1) as Binary } };
  });
}

/** The entries with these keys, in their order. */
export async function* findKeys<Found = EntryDocument>(
  entries: Collection<EntryDocument>,
  keys: Binary[],
  options: FindOptions,
): AsyncGenerator<Found> {
  for (const near of nearKeys(keys))
    yield* entries.find(near, { ...options, sort: { _id: 1 } }) as unknown as AsyncIterable<Found>;
}
