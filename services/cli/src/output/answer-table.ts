import { parseJson } from '@sluice/json/parse-json.ts';
import { elementTexts } from '../api/answer.ts';
import { harmless } from '../terminal.ts';

const gap = '  ';
/** A column is not cut below this. */
const leastWidth = 8;

interface Cell {
  text: string;
  isNumber: boolean;
}

/** Numbers keep their digits. */
function toCell(json: string): Cell {
  if (json === 'null') return { text: 'NULL', isNumber: false };
  const text = harmless(json.startsWith('"') ? String(parseJson(json)) : json).replaceAll('\t', '\\t');
  return { text, isNumber: /^-?\d/.test(json) };
}

/** Makes the widest columns narrower until all fit. */
function fit(widths: number[], most: number): number[] {
  const fitted = [...widths];
  const sum = () => fitted.reduce((total, width) => total + width + gap.length, -gap.length);
  while (sum() > most) {
    const widest = Math.max(...fitted);
    if (widest <= leastWidth) break;
    fitted[fitted.indexOf(widest)] = widest - 1;
  }
  return fitted;
}

const cut = (text: string, width: number) => (text.length > width ? `${text.slice(0, width - 1)}…` : text);

/** The lines of a table. `rows` is the JSON of lists of values; `columns` is the width of the terminal, if there is one. */
export function answerTable(names: string[], rows: string, columns = Number.POSITIVE_INFINITY): string[] {
  const head = names.map((name) => ({ text: harmless(name), isNumber: false }));
  const body = elementTexts(rows).map((row) => elementTexts(row).map(toCell));
  const longest = names.map((_, at) =>
    [head, ...body].reduce((most, row) => Math.max(most, (row[at] as Cell).text.length), 0),
  );
  const widths = fit(longest, columns);
  const isRight = names.map((_, at) => body.some((row) => row[at]?.isNumber));
  return [head, ...body].map((row) =>
    row
      .map(({ text }, at) => {
        const width = widths[at] as number;
        const shown = cut(text, width);
        return isRight[at] ? shown.padStart(width) : shown.padEnd(width);
      })
      .join(gap)
      .trimEnd(),
  );
}
