import fc from 'fast-check';

export type Formulas = 'escape' | 'raw';
export const formulas = fc.constantFrom<Formulas>('escape', 'raw');

const runs = /^'*(?:[\t\r]|\s*[=+\-@])/;
const readsAsJson = /^(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)$|^[[{]/;

/** A file as it has to be, by RFC 4180 alone: no library writes it. */
export function csvOf(header: string[], rows: unknown[][], mode: Formulas): string {
  const disarm = (value: string) => (mode === 'escape' && runs.test(value) ? `'${value}` : value);
  const quote = (text: string) => `"${text.replaceAll('"', '""')}"`;
  const cell = (text: string, mustQuote: boolean) =>
    mustQuote || /[",\r\n]/.test(text) ? quote(text) : text;
  const valueCell = (value: unknown) => {
    if (value === undefined || value === null) return header.length === 1 ? quote('') : '';
    if (value instanceof Date) return value.toISOString();
    if (typeof value !== 'string') return cell(JSON.stringify(value), false);
    return cell(disarm(value), value === '' || value.startsWith('\ufeff') || readsAsJson.test(value));
  };
  const lines = [
    header.map((name) => cell(disarm(name), name === '' || /[;\t|]|^sep=/i.test(name))),
    ...rows.map((row) => row.map(valueCell)),
  ];
  return lines.map((line) => `${line.join(',')}\r\n`).join('');
}
