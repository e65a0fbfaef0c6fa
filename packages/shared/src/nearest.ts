/** The name that another one is probably a slip of; undefined when none is close, or it is one of them. */
export function nearest(given: string, names: Iterable<string>): string | undefined {
  const lower = given.toLowerCase();
  let best: string | undefined;
  let least = given.length > 4 ? 3 : 2;
  for (const name of names) {
    if (name === given) return undefined;
    if (Math.abs(name.length - given.length) >= least) continue;
    const edits = distance(lower, name.toLowerCase());
    if (edits < least) [best, least] = [name, edits];
  }
  return best;
}

/** Levenshtein's: how many letters to add, remove or replace. */
function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (let i = 1; i <= from.length; i++) {
    const next = [i];
    for (let j = 1; j <= to.length; j++) {
      const replaced = (row[j - 1] as number) + (from[i - 1] === to[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] as number) + 1, (next[j - 1] as number) + 1));
    }
    row = next;
  }
  return row[to.length] as number;
}
