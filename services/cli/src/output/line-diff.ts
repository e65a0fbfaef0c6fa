/** The lines that differ between two texts, with `-` and `+` before them, and where they are in the new one. */
export function lineDiff(before: string, after: string): string[] {
  const [a, b] = [before.split('\n'), after.split('\n')];
  const common = commonLengths(a, b);
  const found: string[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      i += 1;
      j += 1;
    } else if (j >= b.length || (i < a.length && lengthAt(common, i + 1, j) >= lengthAt(common, i, j + 1))) {
      found.push(`- ${a[i]}`);
      i += 1;
    } else {
      found.push(`+ ${b[j]}`);
      j += 1;
    }
  }
  return found;
}

const lengthAt = (common: Uint32Array[], i: number, j: number) => common[i]?.[j] ?? 0;

/** Number of common lines after each pair of places. */
function commonLengths(a: string[], b: string[]): Uint32Array[] {
  const rows = Array.from({ length: a.length + 1 }, () => new Uint32Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      (rows[i] as Uint32Array)[j] =
        a[i] === b[j]
          ? lengthAt(rows, i + 1, j + 1) + 1
          : Math.max(lengthAt(rows, i + 1, j), lengthAt(rows, i, j + 1));
  return rows;
}
