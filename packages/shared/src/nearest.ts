import { distance } from 'fastest-levenshtein';

/** Whether two neighbours changed places, which is one slip. */
function isSwapped(a: string, b: string): boolean {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at += 1;
  return a.slice(0, at) + a.charAt(at + 1) + a.charAt(at) + a.slice(at + 2) === b;
}

/** The name that `given` is probably a slip of; undefined if no name is close, or `given` is a name. */
export function nearest(given: string, names: Iterable<string>): string | undefined {
  const lower = given.toLowerCase();
  let best: string | undefined;
  let least = given.length > 4 ? 3 : 2;
  for (const name of names) {
    if (name === given) return undefined;
    // The distance to a long text is slow.
    if (Math.abs(name.length - given.length) >= least) continue;
    const other = name.toLowerCase();
    const edits = isSwapped(lower, other) ? 1 : distance(lower, other);
    if (edits < least) [best, least] = [name, edits];
  }
  return best;
}
