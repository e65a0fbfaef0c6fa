import { writeJson } from './bson-json.ts';
import { array, document, type EntryPlace, type Memory, nil, string } from './bson-walk.ts';
import { type ByteSink, clear, createByteSink, reserve, writeUtf8 } from './byte-sink.ts';
import { needsApostrophe } from './csv-quoting.ts';
import { writeCsvString, writeCsvText } from './csv-text.ts';
import { createTimeWriter } from './iso-time.ts';
import { writeInt32 } from './json-number.ts';

interface Options {
  /** Names of the columns. */
  header: string[];
  formulas: 'escape' | 'raw';
}

/**
 * Writes RFC 4180: the cells of a row one after the other, then its end. What is empty is told apart: a missing
 * value is nothing, an empty string `""`; of a table with one column both are, since most readers skip blank lines.
 */
export function createCsvTable({ header, formulas }: Options) {
  const sink: ByteSink = createByteSink();
  const scratch: ByteSink = createByteSink(1_024);
  const writeTime = createTimeWriter();
  const single = header.length === 1;

  // Each cell ends with a comma; the end of the row takes the last one's place.
  function endCell(): void {
    reserve(sink, 4);
    sink.bytes[sink.length++] = 0x2c;
  }

  function empty(): void {
    reserve(sink, 4);
    if (single) {
      sink.bytes[sink.length++] = 0x22;
      sink.bytes[sink.length++] = 0x22;
    }
    sink.bytes[sink.length++] = 0x2c;
  }

  /** A BSON value: strings as text, the rest as JSON, null as nothing. */
  function value(source: Memory, type: number, at: number): void {
    switch (type) {
      case nil:
        empty();
        return;
      case string:
        writeCsvString(sink, source, at + 4, at + 3 + source.view.getInt32(at, true), formulas);
        break;
      case array:
      case document:
        json((text) => writeJson(text, source, type, at));
        return;
      default:
        writeJson(sink, source, type, at);
    }
    endCell();
  }

  /** The same for a string that is not from BSON. */
  function text(content: string): void {
    clear(scratch);
    writeUtf8(scratch, content);
    writeCsvString(sink, scratch, 0, scratch.length, formulas);
    endCell();
  }

  /** JSON text that `write` makes. */
  function json(write: (text: ByteSink) => void): void {
    clear(scratch);
    write(scratch);
    writeCsvText(sink, scratch, 0, scratch.length, false, false);
    endCell();
  }

  function integer(number: number): void {
    writeInt32(sink, number);
    endCell();
  }

  function time(entry: EntryPlace): void {
    writeTime(sink, entry);
    endCell();
  }

  function endRow(): void {
    reserve(sink, 2);
    sink.bytes[sink.length - 1] = 0x0d;
    sink.bytes[sink.length++] = 0x0a;
  }

  /** The names, quoted only where they must be. */
  function writeHeader(): void {
    for (const name of header) {
      clear(scratch);
      writeUtf8(scratch, name);
      const disarmed = formulas === 'escape' && needsApostrophe(scratch.bytes, 0, scratch.length);
      writeCsvText(sink, scratch, 0, scratch.length, disarmed, name === '');
      endCell();
    }
    endRow();
  }

  return { sink, writeHeader, empty, value, text, json, integer, time, endRow };
}
