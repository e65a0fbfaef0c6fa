interface Row {
  /** Lines above. */
  before?: string[];
  cells: string[];
}

/** Rows as gofmt aligns them. A comment above a row begins new columns. */
export function columns(rows: Row[]): string[] {
  const sections: Row[][] = [];
  for (const row of rows)
    if (sections.length === 0 || row.before?.length) sections.push([row]);
    else sections.at(-1)?.push(row);
  return sections.flatMap((section) => {
    const widths = widthsOf(section);
    return section.flatMap(({ before = [], cells }) => [
      ...before,
      `\t${cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' ')}`,
    ]);
  });
}

/** Of all columns but the last. */
const widthsOf = (rows: Row[]): number[] =>
  (rows[0] as Row).cells
    .slice(0, -1)
    .map((_, at) => Math.max(...rows.map(({ cells }) => cells[at]?.length ?? 0)));
