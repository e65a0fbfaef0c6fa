import { distance } from 'fastest-levenshtein';

/** The name that another one is probably a slip of; undefined when none is close, or it is one of them. */
export function nearest(given: string, names: Iterable<string>): string | undefined {
  const lower = given.toLowerCase();
  let best: string | undefined;
  let least = given.length > 4 ? 3 : 2;
  for (const name of names) {
    if (name === given) return undefined;
    // A long text takes no time.
    if (Math.abs(name.length - given.length) >= least) continue;
    const edits = distance(lower, name.toLowerCase());
    if (edits < least) [best, least] = [name, edits];
  }
  return best;
}
