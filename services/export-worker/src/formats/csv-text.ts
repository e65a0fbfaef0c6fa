import { formula } from '@sluice/tables/csv/cell-json.ts';

/** A number, true, false or null as JSON. */
const json = /^(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)$/;

/** Marks bytes, so that the first or last byte of most strings decides. */
function table(bytes: string): Uint8Array {
  const marked = new Uint8Array(256);
  for (const byte of Buffer.from(bytes)) marked[byte] = 1;
  return marked;
}
const formulaStarts = table("'=+-@\t\n\v\f\r \u00a0\u1680\u2000\u3000\ufeff");
const jsonStarts = table('-0123456789tfn[{');
const wordEnds = table('0123456789el');

/** Whether a spreadsheet would run the text, with or without its leading apostrophes. */
export function needsApostrophe(bytes: Buffer, from: number, to: number): boolean {
  return formulaStarts[bytes[from] as number] === 1 && formula.test(bytes.toString('utf8', from, to));
}

/** Whether the text begins with a byte order mark, which readers drop where no quote is before it. */
export const beginsWithMark = (bytes: Buffer, from: number): boolean =>
  bytes[from] === 0xef && bytes[from + 1] === 0xbb && bytes[from + 2] === 0xbf;

/** Whether the text without quotes reads as a JSON scalar, or begins like a JSON array or object. */
export function readsAsJson(bytes: Buffer, from: number, to: number): boolean {
  const first = bytes[from] as number;
  if (jsonStarts[first] === 0) return false;
  if (first === 0x5b || first === 0x7b) return true;
  return wordEnds[bytes[to - 1] as number] === 1 && json.test(bytes.toString('latin1', from, to));
}
