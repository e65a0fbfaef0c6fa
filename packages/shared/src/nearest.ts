import { distance } from 'fastest-levenshtein';

/** The name that `given` is probably a slip of; undefined if no name is close, or `given` is a name. */
export function nearest(given: string, names: Iterable<string>): string | undefined {
  const lower = given.toLowerCase();
  let best: string | undefined;
  let least = given.length > 4 ? 3 : 2;
  for (const name of names) {
    if (name === given) return undefined;
    // The distance to a long text is slow.
    if (Math.abs(name.length - given.length) >= least) continue;
    const edits = distance(lower, name.toLowerCase());
    if (edits < least) [best, least] = [name, edits];
  }
  return best;
}
