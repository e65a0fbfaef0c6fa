type Cell = string | number | boolean | Date | null | undefined;

/** The cells of a table's row by the names of its columns. */
export type Row = Record<string, Cell>;

function toText(cell: Cell): string {
  if (cell instanceof Date) return cell.toISOString();
  return cell === undefined || cell === null ? '' : String(cell);
}

export function printRows(console: Console, rows: Row[], json = false): void {
  if (json) {
    printJson(console, rows);
    return;
  }
  if (rows.length === 0) {
    console.log('none');
    return;
  }
  const names = Object.keys(rows[0] as object);
  const lines = [names, ...rows.map((row) => names.map((name) => toText(row[name])))];
  const widths = names.map((_, at) => Math.max(...lines.map((cells) => (cells[at] as string).length)));
  for (const cells of lines)
    console.log(
      cells
        .map((cell, at) => cell.padEnd(widths[at] as number))
        .join('  ')
        .trimEnd(),
    );
}

export function printJson(console: Console, value: unknown): void {
  console.log(JSON.stringify(value, null, 2));
}
