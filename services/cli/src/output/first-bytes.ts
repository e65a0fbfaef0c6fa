import { isUtf8 } from 'node:buffer';
import { harmless } from '../terminal.ts';

const most = 60;

/** The start of a line, for a terminal. Where the line is not UTF-8, bytes beyond ASCII are written such as `\xf6`. */
export function firstBytes(line: Buffer): string {
  const start = line.subarray(0, most);
  const text = isUtf8(line)
    ? // The last character may be cut.
      start.toString().replace(line.length > most ? /\ufffd$/ : '', '')
    : start.toString('latin1').replace(/[\x80-\xff]/g, (byte) => `\\x${byte.charCodeAt(0).toString(16)}`);
  return harmless(text.trimEnd()) + (line.length > most ? '…' : '');
}
