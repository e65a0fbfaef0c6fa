import { withoutMark } from './byte-order-mark.ts';

const toUtf8 = (from: string) => `convert it, such as with iconv -f ${from} -t UTF-8`;
const guess = (what: string) => `it looks like ${what}, which is a guess`;

/** What begins a file that is no text in UTF-8, and what to do. */
const starts: [bytes: number[], what: string][] = [
  [[0x1f, 0x8b], 'it looks like gzip: decompress it, or send Content-Encoding: gzip'],
  [[0x28, 0xb5, 0x2f, 0xfd], 'it looks like zstd: decompress it, or send Content-Encoding: zstd'],
  [[0x50, 0x4b, 0x03, 0x04], 'it looks like a ZIP file, such as a spreadsheet: save it as CSV'],
  [[0xff, 0xfe, 0x00, 0x00], `it is UTF-32: ${toUtf8('UTF-32')}`],
  [[0x00, 0x00, 0xfe, 0xff], `it is UTF-32: ${toUtf8('UTF-32')}`],
  [[0xff, 0xfe], `it is UTF-16: ${toUtf8('UTF-16')}`],
  [[0xfe, 0xff], `it is UTF-16: ${toUtf8('UTF-16')}`],
];

/** UTF-16 without a byte order mark, by the zeros of its ASCII characters. */
function utf16Of(bytes: Uint8Array): string | undefined {
  const zeros = Array.from(bytes.keys()).filter((at) => bytes[at] === 0);
  const isOdd = (at: number) => at % 2 === 1;
  if (zeros.length === 0 || zeros.some((at) => isOdd(at) !== isOdd(zeros[0] as number))) return undefined;
  const name = isOdd(zeros[0] as number) ? 'UTF-16LE' : 'UTF-16BE';
  return `${guess(`${name} without a byte order mark`)}: ${toUtf8(name)}`;
}

/** What a file is that begins so, and what to do; undefined for text in UTF-8. Four bytes are enough. */
export function foreignStart(bytes: Uint8Array): string | undefined {
  const known = starts.find(([start]) => start.every((byte, at) => bytes[at] === byte));
  if (known) return known[1];
  const head = bytes.subarray(0, 4);
  const zeros = head.filter((byte) => byte === 0).length;
  return head.length === 4 && zeros === 2 ? utf16Of(head) : undefined;
}

const lossy = new TextDecoder('utf-8', { ignoreBOM: true });
const encoder = new TextEncoder();

/** As much is looked at closely. */
const blockBytes = 4_096;
const isInside = (byte = 0) => (byte & 0xc0) === 0x80;

/** The offset of the first byte that is not UTF-8. */
function faultIn(bytes: Uint8Array): number {
  const end = endOfText(bytes);
  // The character before the block may be the broken one.
  let start = Math.max(0, end - 1);
  while (start > 0 && isInside(bytes[start])) start--;
  const near = bytes.subarray(start, end + blockBytes);
  // Broken characters become U+FFFD; the text may have that character itself.
  const written = encoder.encode(lossy.decode(near));
  let at = 0;
  while (at < near.length && written[at] === near[at]) at++;
  while (isInside(written[at])) at--;
  return start + at;
}

/** The offset of the first block that is not UTF-8, or the end. */
function endOfText(bytes: Uint8Array): number {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let at = 0;
  try {
    for (; at < bytes.length; at += blockBytes)
      decoder.decode(bytes.subarray(at, at + blockBytes), { stream: true });
    return bytes.length;
  } catch {
    return at;
  }
}

/** Letters with accents stand alone among ASCII; other encodings have longer runs, or bytes that Windows-1252 lacks. */
const others = /[\x80-\xff]{3}|[\x81\x8d\x8f\x90\x9d]/;
/** Some of it is UTF-8. */
const mixed = /[^\0-\x7f\ufffd]/;

function windows1252Of(bytes: Uint8Array): string | undefined {
  const text = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
  if (others.test(text) || mixed.test(lossy.decode(bytes))) return undefined;
  return `${guess('Windows-1252')}: ${toUtf8('WINDOWS-1252')}`;
}

/** Around the fault: what is looked at to guess. */
const nearBytes = 1_024;

/** Says where bytes are not UTF-8, and what to do: "not valid UTF-8 at byte 4; …". It quotes nothing of them. */
export function explainBytes(bytes: Uint8Array): string {
  const fault = faultIn(bytes);
  const near = bytes.subarray(Math.max(0, fault - nearBytes), fault + nearBytes);
  const what = foreignStart(bytes) ?? windows1252Of(near) ?? 'convert it to UTF-8';
  return `not valid UTF-8 at byte ${fault + 1}; ${what}`;
}

/** Says what is wrong with a header that has NULs, which no key may have. */
export const explainNuls = (bytes: Uint8Array): string =>
  `has NUL characters; ${utf16Of(bytes) ?? 'convert it to UTF-8'}`;

const fatal = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The text of a file without its byte order mark. Throws an Error for people if it is not UTF-8. */
export function textOfFile(bytes: Uint8Array): string {
  const foreign = foreignStart(bytes);
  if (foreign) throw new Error(`The file is not text in UTF-8: ${foreign}.`);
  const text = decodeText(bytes);
  if (text === undefined) throw new Error(`The file is ${explainBytes(bytes)}.`);
  return withoutMark(text);
}

/** The text of bytes; undefined if they are not UTF-8. A byte order mark stays. */
export function decodeText(bytes: Uint8Array): string | undefined {
  try {
    return fatal.decode(bytes);
  } catch {
    return undefined;
  }
}
