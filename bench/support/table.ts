import { ratioOf, type Summary, summarize } from './statistics.ts';

/** A Markdown table with aligned columns. */
export function table(head: string[], rows: string[][]): string {
  const widths = head.map((name, column) =>
    Math.max(name.length, 3, ...rows.map((row) => (row[column] ?? '').length)),
  );
  const line = (cells: string[]) =>
    `| ${widths.map((width, column) => pad(cells[column] ?? '', width, column)).join(' | ')} |`;
  const rule = widths.map((width, column) =>
    column === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`,
  );
  return [line(head), line(rule), ...rows.map(line)].join('\n');
}

const pad = (cell: string, width: number, column: number) =>
  column === 0 ? cell.padEnd(width) : cell.padStart(width);

/** `12,345 (11,900–12,800)` */
export function spread(values: number[], digits = 0): string {
  return shown(summarize(values), digits);
}

export const figure = (value: number, digits = 0) =>
  value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });

const shown = ({ median, min, max }: Summary, digits: number) =>
  `${figure(median, digits)} (${figure(min, digits)}–${figure(max, digits)})`;

export interface Ratio {
  name: string;
  over: number[];
  under: number[];
  target?: { atLeast: number } | { atMost: number };
}

/** One line for each ratio, with its target and whether it is met. */
export function ratios(all: Ratio[]): string {
  return table(
    ['ratio', 'of medians (of rounds)', 'target', ''],
    all.map(({ name, over, under, target }) => {
      const ratio = ratioOf(over, under);
      return [name, shown(ratio, 2), ...verdict(ratio.median, target)];
    }),
  );
}

export interface Limit {
  name: string;
  /** Undefined if the system does not report it. */
  value: number | undefined;
  unit: string;
  atMost: number;
}

/** One line for each figure that should stay below its target. */
export function limits(all: Limit[]): string {
  return table(
    ['', 'measured', 'target', ''],
    all.map(({ name, value, unit, atMost }) =>
      value === undefined
        ? [name, 'not known here', `≤ ${atMost} ${unit}`, '']
        : [name, `${figure(value)} ${unit}`, `≤ ${atMost} ${unit}`, value <= atMost ? 'met' : 'MISSED'],
    ),
  );
}

function verdict(ratio: number, target: Ratio['target']): string[] {
  if (!target) return ['', ''];
  if ('atLeast' in target) return [`≥ ${target.atLeast}`, ratio >= target.atLeast ? 'met' : 'MISSED'];
  return [`≤ ${target.atMost}`, ratio <= target.atMost ? 'met' : 'MISSED'];
}
