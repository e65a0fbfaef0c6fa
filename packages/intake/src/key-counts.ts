import type { CheckedKey, KeyRefusals } from '@sluice/jobs/record/chunk-records.ts';

/** Keys that are told apart: the others, which have fewest refusals, count as sent without a key. */
const mostKeys = 100;
/** Pointers of a key that memory, and then a list, tells apart. */
const mostPaths = 100;
const listedPaths = 20;
const toldPaths = 5;

interface Counted {
  checked: number;
  refused: number;
  paths: Map<string, number>;
}

/** Most refusals first. */
const byRefused = (a: { refused: number }, b: { refused: number }) => b.refused - a.refused;

/** Counts payloads by the id of the ingest key with which they were sent. Null: without one. */
export function createKeyCounts() {
  const counts = new Map<string | null, Counted>();

  function countOf(key: string | null): Counted {
    const known = counts.get(key) ?? { checked: 0, refused: 0, paths: new Map() };
    counts.set(key, known);
    return known;
  }

  function addPath({ paths }: Counted, path: string, count: number): void {
    const known = paths.get(path) ?? 0;
    if (known > 0 || paths.size < mostPaths) paths.set(path, known + count);
  }

  function add({ key, checked, refused, paths }: CheckedKey): void {
    const counted = countOf(key);
    counted.checked += checked;
    counted.refused += refused;
    for (const { path, count } of paths) addPath(counted, path, count);
  }

  const listed = (): CheckedKey[] =>
    [...counts]
      .map(([key, { paths, ...counted }]) => ({
        key,
        ...counted,
        paths: [...paths]
          .map(([path, count]) => ({ path, count }))
          .sort((a, b) => b.count - a.count)
          .slice(0, listedPaths),
      }))
      .sort(byRefused);

  function list(): CheckedKey[] {
    const keys = listed().filter(({ key }) => key !== null);
    for (const { key, ...rest } of keys.slice(mostKeys)) {
      counts.delete(key);
      add({ key: null, ...rest });
    }
    return listed();
  }

  return {
    add,

    check(key: string | null): void {
      countOf(key).checked += 1;
    },

    /** Call for each checked payload that is refused. `path`: JSON Pointer of its first fault; absent: unknown. */
    refuse(key: string | null, path?: string): void {
      const counted = countOf(key);
      counted.refused += 1;
      if (path !== undefined) addPath(counted, path, 1);
    },

    /** To be added to other counts. */
    list,

    /** For the owner: most refusals first. */
    tell: (): KeyRefusals[] =>
      list().map(({ paths, ...counted }) => ({
        ...counted,
        paths: paths.slice(0, toldPaths).map(({ path }) => path),
      })),
  };
}
