import type { Memory } from './bson-walk.ts';
import { type ByteSink, reserve } from './byte-sink.ts';
import { copyPlain, fourTimes } from './copy-plain.ts';
import { needsApostrophe, readsAsJson } from './csv-quoting.ts';

const quote = 0x22;
const apostrophe = 0x27;
const quotes = fourTimes('"');
const commas = fourTimes(',');
/** The bytes for which a cell is quoted. */
const quoted = new Uint8Array(256);
for (const byte of Buffer.from('",\r\n')) quoted[byte] = 1;

/**
 * Writes a string so that it can be told from what else a cell may hold: quoted where it is empty or reads as JSON,
 * and with one ' more where a spreadsheet would run it or it has such a ' already.
 */
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

/** Writes UTF-8 as a cell, quoted where it must be. */
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

/** Writes what is in a cell, with its quotes doubled where it is in quotes; else gives up at something that must be in them. */
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
