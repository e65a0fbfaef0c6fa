import type { TableShape } from '@sluice/jobs/record/export-record.ts';
import { writeJson } from './bson-json.ts';
import {
  array,
  createEntryReader,
  document,
  type EntryPlace,
  type Memory,
  nil,
  string,
} from './bson-walk.ts';
import { type ByteSink, clear, createByteSink, reserve, writeUtf8 } from './byte-sink.ts';
import { isTime } from './columns.ts';
import { needsApostrophe } from './csv-quoting.ts';
import { writeCsvString, writeCsvText } from './csv-text.ts';
import { versionOf, writeId } from './entry-meta.ts';
import { createFindRows, type RowOptions } from './find-rows.ts';
import { createTimeWriter } from './iso-time.ts';
import { writeInt32 } from './json-number.ts';
import { writePruned } from './pruned-json.ts';

interface Options extends RowOptions {
  /** Names of the columns that lead from a row to its entry, and of all others. */
  header: string[];
  formulas: 'escape' | 'raw';
}

/**
 * The rows of one table as RFC 4180. With `arrays=rows` each begins with the id of its entry and the indexes of its element. What is
 * empty is told apart: a missing value is nothing, an empty string `""`; of a table with one column both are, since most readers
 * skip blank lines.
 */
export function createCsvRows({ header, formulas, ...options }: Options) {
  const { arrays, tables, wanted = 0 } = options;
  const cells = (tables[wanted] as TableShape).columns;
  const isLinked = arrays === 'rows';
  const count = cells.length;
  const timePlace = cells.findIndex(isTime);
  const idPlace = cells.findIndex(({ meta }) => meta === 'id');
  const versionPlace = cells.findIndex(({ meta }) => meta === 'schema_version');
  const restPlace = cells.findIndex(({ isRest }) => isRest);
  const rows = createFindRows(options, writeRow);
  const { root, indexes, types, values } = rows;
  const read = createEntryReader();
  const sink: ByteSink = createByteSink();
  const scratch: ByteSink = createByteSink(1_024);
  const writeTime = createTimeWriter();
  const single = header.length === 1;

  // Each cell ends with a comma; the end of the row takes the last one's place.
  function endCell(): void {
    reserve(sink, 4);
    sink.bytes[sink.length++] = 0x2c;
  }

  function writeEmpty(): void {
    reserve(sink, 4);
    if (single) {
      sink.bytes[sink.length++] = 0x22;
      sink.bytes[sink.length++] = 0x22;
    }
    sink.bytes[sink.length++] = 0x2c;
  }

  /** A BSON value: strings as text, the rest as JSON, null as nothing. */
  function writeValue(source: Memory, type: number, at: number): void {
    switch (type) {
      case nil:
        writeEmpty();
        return;
      case string:
        writeCsvString(sink, source, at + 4, at + 3 + source.view.getInt32(at, true), formulas);
        break;
      case array:
      case document:
        writeJsonText((text) => writeJson(text, source, type, at));
        return;
      default:
        writeJson(sink, source, type, at);
    }
    endCell();
  }

  /** JSON text that `write` makes. */
  function writeJsonText(write: (text: ByteSink) => void): void {
    clear(scratch);
    write(scratch);
    writeCsvText(sink, scratch, 0, scratch.length, false, false);
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

  function writeEntryId(source: EntryPlace): void {
    clear(scratch);
    writeId(scratch, source);
    writeCsvString(sink, scratch, 0, scratch.length, formulas);
    endCell();
  }

  function writeLinks(source: EntryPlace): void {
    writeEntryId(source);
    for (const index of indexes) {
      writeInt32(sink, index);
      endCell();
    }
  }

  function writeRow(source: EntryPlace): void {
    if (isLinked) writeLinks(source);
    for (let place = 0; place < count; place++) {
      const type = types[place] as number;
      if (type !== 0) writeValue(source, type, values[place] as number);
      else if (place === timePlace) {
        writeTime(sink, source);
        endCell();
      } else if (place === idPlace) {
        writeEntryId(source);
      } else if (place === versionPlace) {
        writeInt32(sink, versionOf(source));
        endCell();
      } else if (place === restPlace && rows.hasRest())
        writeJsonText((text) => writePruned(text, source, source.payload, root, 'others'));
      else writeEmpty();
    }
    endRow();
  }

  return {
    sink,
    writeHeader,
    add(entry: Buffer): void {
      const before = sink.length;
      try {
        rows.find(read(entry));
      } catch (error) {
        sink.length = before;
        throw error;
      }
    },
  };
}
