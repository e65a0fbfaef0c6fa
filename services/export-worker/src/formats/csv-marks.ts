const apostrophe = 0x27;
const formula = 1;
const json = 2;

/** What text that begins with a byte might be: the start of a formula, of something JSON prints, or both. */
const beginnings = new Uint8Array(256);
const mark = (bytes: Iterable<number>, flag: number) => {
  for (const byte of bytes) beginnings[byte] = (beginnings[byte] as number) | flag;
};
mark(Buffer.from("'=+-@\t\n\v\f\r \u00a0\u1680\u2000\u3000\ufeff"), formula);
// The bytes after the first ones of white space begin no text.
mark(Buffer.from('-0123456789tfn[{'), json);

/**
 * Whether a spreadsheet would run text, or it begins with ' and would be run without. White space is what
 * `\s` is; in front of a formula it changes nothing, a tab or CR a spreadsheet would strip first.
 */
export function needsApostrophe(bytes: Buffer, from: number, to: number): boolean {
  if (((beginnings[bytes[from] as number] as number) & formula) === 0) return false;
  let at = from;
  while (at < to && bytes[at] === apostrophe) at++;
  if (bytes[at] === 0x09 || bytes[at] === 0x0d) return at < to;
  for (let width = 1; at < to && width > 0; at += width) {
    width = spaceAt(bytes, at);
    if (width === 0) return isOperator(bytes[at] as number);
  }
  return false;
}

function isOperator(byte: number): boolean {
  return byte === 0x3d || byte === 0x2b || byte === 0x2d || byte === 0x40;
}

/** How many bytes the white space there has, or 0. */
function spaceAt(bytes: Buffer, at: number): number {
  const byte = bytes[at] as number;
  if (byte === 0x20 || (byte >= 0x09 && byte <= 0x0d)) return 1;
  if (byte < 0xc2) return 0;
  const second = bytes[at + 1] as number;
  if (byte === 0xc2) return second === 0xa0 ? 2 : 0;
  const third = bytes[at + 2] as number;
  switch ((byte << 16) | (second << 8) | third) {
    case 0xe19a80:
    case 0xe280a8:
    case 0xe280a9:
    case 0xe280af:
    case 0xe2819f:
    case 0xe38080:
    case 0xefbbbf:
      return 3;
    default:
      return byte === 0xe2 && second === 0x80 && third >= 0x80 && third <= 0x8a ? 3 : 0;
  }
}

/** Whether text without quotes would read as a number, `true`, `false` or `null`, or begins as JSON's arrays and objects do. */
export function readsAsJson(bytes: Buffer, from: number, to: number): boolean {
  const first = bytes[from] as number;
  if (((beginnings[first] as number) & json) === 0) return false;
  if (first === 0x5b || first === 0x7b) return true;
  if (first > 0x39) return to - from <= 5 && /^(?:true|false|null)$/.test(bytes.toString('latin1', from, to));
  return isNumber(bytes, from, to);
}

function isNumber(bytes: Buffer, from: number, to: number): boolean {
  let at = bytes[from] === 0x2d ? from + 1 : from;
  const whole = at;
  at = digitsEnd(bytes, at, to);
  if (at === whole || (bytes[whole] === 0x30 && at > whole + 1)) return false;
  if (at < to && bytes[at] === 0x2e) {
    const fraction = at + 1;
    at = digitsEnd(bytes, fraction, to);
    if (at === fraction) return false;
  }
  if (at < to && ((bytes[at] as number) | 0x20) === 0x65) {
    at++;
    if (at < to && (bytes[at] === 0x2b || bytes[at] === 0x2d)) at++;
    const exponent = at;
    at = digitsEnd(bytes, exponent, to);
    if (at === exponent) return false;
  }
  return at === to;
}

function digitsEnd(bytes: Buffer, from: number, to: number): number {
  let at = from;
  while (at < to && (bytes[at] as number) >= 0x30 && (bytes[at] as number) <= 0x39) at++;
  return at;
}
