import type { Memory } from './bson-walk.ts';
import { type ByteSink, copyPlain, fourTimes, reserve } from './byte-sink.ts';

const quote = 0x22;
const apostrophe = 0x27;
const quotes = fourTimes('"');
const commas = fourTimes(',');
/** Bytes that make a cell need quotes. */
const quoted = new Uint8Array(256);
for (const byte of Buffer.from('",\r\n')) quoted[byte] = 1;

/** Writes a string. Quotes mark a string that is empty or reads as JSON; a leading ' stops a spreadsheet from running it. */
export function writeCsvString(
  sink: ByteSink,
  source: Memory,
  from: number,
  to: number,
  formulas: 'escape' | 'raw',
): void {
  const disarmed = formulas === 'escape' && needsApostrophe(source.bytes, from, to);
  const mustQuote = from === to || readsAsJson(source.bytes, from, to);
  writeCsvText(sink, source, from, to, disarmed, mustQuote);
}

/** Writes UTF-8 as a cell. */
export function writeCsvText(
  sink: ByteSink,
  source: Memory,
  from: number,
  to: number,
  disarmed: boolean,
  mustQuote: boolean,
): void {
  reserve(sink, 2 * (to - from) + 4);
  if (!mustQuote) {
    const start = sink.length;
    if (disarmed) sink.bytes[sink.length++] = apostrophe;
    if (writeContent(sink, source, from, to, false)) return;
    sink.length = start;
  }
  sink.bytes[sink.length++] = quote;
  if (disarmed) sink.bytes[sink.length++] = apostrophe;
  writeContent(sink, source, from, to, true);
  sink.bytes[sink.length++] = quote;
}

/** Writes the text of a cell. False if the text needs quotes and `inQuotes` is false. */
function writeContent(sink: ByteSink, source: Memory, from: number, to: number, inQuotes: boolean): boolean {
  const { bytes } = source;
  const target = sink.bytes;
  const other = inQuotes ? quotes : commas;
  for (let at = from; at < to; ) {
    at = copyPlain(sink, source, at, to, quotes, other);
    let { length } = sink;
    for (const stop = Math.min(at + 4, to); at < stop; at++) {
      const byte = bytes[at] as number;
      if (quoted[byte] === 1) {
        if (!inQuotes) return false;
        if (byte === quote) target[length++] = quote;
      }
      target[length++] = byte;
    }
    sink.length = length;
  }
  return true;
}

/** A formula in a spreadsheet, also after apostrophes. Spreadsheets strip a leading tab or CR. */
const formula = /^'*(?:[\t\r]|\s*[=+\-@])/;
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

/** Whether the text without quotes reads as a JSON scalar, or begins like a JSON array or object. */
function readsAsJson(bytes: Buffer, from: number, to: number): boolean {
  const first = bytes[from] as number;
  if (jsonStarts[first] === 0) return false;
  if (first === 0x5b || first === 0x7b) return true;
  return wordEnds[bytes[to - 1] as number] === 1 && json.test(bytes.toString('latin1', from, to));
}
