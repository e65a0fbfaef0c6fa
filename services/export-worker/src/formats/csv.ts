import type { TableShape } from '@sluice/jobs/record/export-record.ts';
import type { Column } from '@sluice/tables/columns.ts';
import {
  array,
  createEntryReader,
  document,
  type EntryPlace,
  type Memory,
  nil,
  string,
} from './bson-walk.ts';
import {
  type ByteSink,
  clear,
  createByteSink,
  reserve,
  takeBytes,
  writeAscii,
  writeUtf8,
} from './byte-sink.ts';
import { needsApostrophe, writeCsvString, writeCsvText } from './csv-text.ts';
import { createTimeWriter, versionOf, writeId } from './entry-meta.ts';
import { createFindRows, type RowOptions } from './find-rows.ts';
import { columnsNamed, type FileFormat, isTime } from './format.ts';
import { writeInt32 } from './json-number.ts';
import { writeJson, writePruned } from './write-json.ts';

interface Options {
  columns: Column[];
  /** Names of the columns to write; absent: all. */
  selected?: string[] | undefined;
  /** The columns with `arrays=columns`, which has one for each element. */
  elements?: Column[] | undefined;
  formulas: 'escape' | 'raw';
}

/** A row for each entry, a column for each field. */
export function createCsv({ columns, selected, elements, formulas }: Options): FileFormat {
  const cells = elements ?? columnsNamed(columns, selected);
  const header = cells.map(({ name }) => name);
  const rows = createCsvRows({
    columns,
    selected,
    arrays: elements ? 'columns' : 'json',
    tables: [{ name: 'entries', path: [], columns: cells }],
    header,
    formulas,
  });
  return {
    columns: header,
    passes: 1,
    open: rows.writeHeader,
    add: rows.add,
    close() {},
    size: () => rows.sink.length,
    take: () => ({ data: takeBytes(rows.sink) }),
  };
}

interface RowsOptions extends RowOptions, Pick<Options, 'formulas'> {
  /** Names of all columns. With `arrays=rows` the id of the entry and indexes come first. */
  header: string[];
}

/**
 * Writes the rows of one table by RFC 4180. A missing value is an empty cell, an empty string is `""`.
 * In a table with one column both are `""`: most readers skip blank lines.
 */
export function createCsvRows({ header, formulas, ...options }: RowsOptions) {
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

  // Each cell ends with a comma. The end of the row replaces the last comma.
  function endCell(): void {
    reserve(sink, 4);
    sink.bytes[sink.length++] = 0x2c;
  }

  function writeEmpty(): void {
    if (single) writeAscii(sink, '""');
    endCell();
  }

  /** Writes a BSON value: a string as text, null as an empty cell, all others as JSON. */
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

  /** Quotes a name only if needed, unlike a string in a row. */
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

  function writeRow(source: EntryPlace): void {
    if (isLinked) {
      writeEntryId(source);
      for (const index of indexes) {
        writeInt32(sink, index);
        endCell();
      }
    }
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
