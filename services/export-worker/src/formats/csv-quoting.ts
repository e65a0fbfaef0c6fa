/** What a spreadsheet would run, also behind apostrophes. It strips a tab or CR first. */
const formula = /^'*(?:[\t\r]|\s*[=+\-@])/;
/** What JSON prints of a number, of true, false and null. */
const json = /^(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)$/;

/** Marks bytes, so that most strings are told by one or two of theirs. */
function table(bytes: string): Uint8Array {
  const marked = new Uint8Array(256);
  for (const byte of Buffer.from(bytes)) marked[byte] = 1;
  return marked;
}
const formulaStarts = table("'=+-@\t\n\v\f\r \u00a0\u1680\u2000\u3000\ufeff");
const jsonStarts = table('-0123456789tfn[{');
const wordEnds = table('0123456789el');

/** Whether a spreadsheet would run text, or it begins with ' and would be run without. */
export function needsApostrophe(bytes: Buffer, from: number, to: number): boolean {
  return formulaStarts[bytes[from] as number] === 1 && formula.test(bytes.toString('utf8', from, to));
}

/** Whether text without quotes would read as a number, `true`, `false` or `null`, or begins as JSON's arrays and objects do. */
export function readsAsJson(bytes: Buffer, from: number, to: number): boolean {
  const first = bytes[from] as number;
  if (jsonStarts[first] === 0) return false;
  if (first === 0x5b || first === 0x7b) return true;
  return wordEnds[bytes[to - 1] as number] === 1 && json.test(bytes.toString('latin1', from, to));
}
