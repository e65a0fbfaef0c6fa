import { createEntryReader, type EntryPlace, senderIn, versionOf } from '@sluice/bson/entry.ts';
import { nil, string } from '@sluice/bson/types.ts';
import { type Memory, textEnd, textStart } from '@sluice/bson/values.ts';
import type { TableShape } from '@sluice/jobs/record/export-record.ts';
import { type Column, type SenderMeta, senderMeta } from '@sluice/tables/columns.ts';
import { clear, createByteSink, reserve, takeBytes, writeAscii, writeBytes } from './byte-sink.ts';
import { createCsvLines } from './csv-lines.ts';
import { beginsWithMark, needsApostrophe, readsAsJson } from './csv-text.ts';
import { createTimeWriter, writeId } from './entry-meta.ts';
import { createFindRows, type RowOptions } from './find-rows.ts';
import { columnsNamed, type FileFormat, isTime, type SenderText } from './format.ts';
import { writeInt32 } from './json-number.ts';
import { writeJson, writePruned } from './write-json.ts';

/** Those who find out the delimiter, as an import does, would misread such names without quotes. */
const misread = /[;\t|]|^$|^sep=/i;

interface Options {
  columns: Column[];
  /** Names of the columns to write; absent: all. */
  selected?: string[] | undefined;
  /** The columns with `arrays=columns`, which has one for each element. */
  elements?: Column[] | undefined;
  formulas: 'escape' | 'raw';
  senderText?: SenderText | undefined;
}

/** A row for each entry, a column for each field. */
export function createCsv({ columns, selected, elements, formulas, senderText }: Options): FileFormat {
  const cells = elements ?? columnsNamed(columns, selected);
  const header = cells.map(({ name }) => name);
  const rows = createCsvRows({
    columns,
    selected,
    arrays: elements ? 'columns' : 'json',
    tables: [{ name: 'entries', path: [], columns: cells }],
    header,
    formulas,
    senderText,
  });
  return {
    columns: header,
    passes: 1,
    open: rows.writeHeader,
    add: rows.add,
    close() {},
    size: rows.size,
    take: () => ({ data: rows.take() }),
  };
}

interface RowsOptions extends RowOptions, Pick<Options, 'formulas' | 'senderText'> {
  /** Names of all columns. With `arrays=rows` the id of the entry and indexes come first. */
  header: string[];
}

/**
 * Writes the rows of one table by RFC 4180. A missing value is an empty cell, an empty string is `""`.
 * In a table with one column both are `""`: most readers skip blank lines.
 */
export function createCsvRows({ header, formulas, senderText, ...options }: RowsOptions) {
  const { arrays, tables, wanted = 0 } = options;
  const cells = (tables[wanted] as TableShape).columns;
  const isLinked = arrays === 'rows';
  const count = cells.length;
  const timePlace = cells.findIndex(isTime);
  const idPlace = cells.findIndex(({ meta }) => meta === 'id');
  const versionPlace = cells.findIndex(({ meta }) => meta === 'schema_version');
  const senderNames = cells.map(({ meta }) => senderMeta.find((name) => name === meta));
  const restPlace = cells.findIndex(({ isRest }) => isRest);
  const rows = createFindRows(options, writeRow);
  const { root, indexes, types, values } = rows;
  const read = createEntryReader();
  const sink = createByteSink();
  const lines = createCsvLines(sink, header.length);
  const { text } = lines;
  const scratch = createByteSink(32);
  const writeTime = createTimeWriter();
  const single = header.length === 1;

  function writeEmpty(): void {
    if (single) lines.endQuoted();
    else lines.endEmpty();
  }

  /** Writes a BSON value: a string as text, null as an empty cell, all others as JSON. */
  function writeValue(source: Memory, type: number, at: number): void {
    if (type === nil) writeEmpty();
    else if (type === string) writeString(source, textStart(at), textEnd(source, at));
    else {
      writeJson(text, source, type, at);
      lines.end();
    }
  }

  /** Quotes mark a string that is empty or reads as something else; a leading ' stops a spreadsheet from running it. */
  function writeString(source: Pick<Memory, 'bytes'>, from: number, to: number): void {
    const { bytes } = source;
    writeDisarmed(source, from, to);
    if (from === to || readsAsJson(bytes, from, to) || beginsWithMark(bytes, from)) lines.endQuoted();
    else lines.end();
  }

  function writeDisarmed(source: Pick<Memory, 'bytes'>, from: number, to: number): void {
    reserve(text, to - from + 1);
    if (formulas === 'escape' && needsApostrophe(source.bytes, from, to)) text.bytes[text.length++] = 0x27;
    writeBytes(text, source.bytes, from, to);
  }

  /** Quotes a name only if needed, unlike a string in a row. */
  function writeHeader(): void {
    for (const name of header) {
      const bytes = Buffer.from(name);
      writeDisarmed({ bytes }, 0, bytes.length);
      if (misread.test(name)) lines.endQuoted();
      else lines.end();
    }
    lines.endRow();
    lines.flush();
  }

  function writeEntryId(source: EntryPlace): void {
    clear(scratch);
    writeId(scratch, source);
    writeString(scratch, 0, scratch.length);
  }

  function writeSender(source: EntryPlace, name: SenderMeta): void {
    const told = senderText?.(senderIn(source), name);
    clear(scratch);
    writeAscii(scratch, told ?? '');
    if (told === undefined) writeEmpty();
    else writeString(scratch, 0, scratch.length);
  }

  function writeRow(source: EntryPlace): void {
    if (isLinked) {
      writeEntryId(source);
      for (const index of indexes) {
        writeInt32(text, index);
        lines.end();
      }
    }
    for (let place = 0; place < count; place++) {
      const type = types[place] as number;
      const senderName = senderNames[place];
      if (type !== 0) writeValue(source, type, values[place] as number);
      else if (place === timePlace) {
        writeTime(text, source);
        lines.end();
      } else if (place === idPlace) writeEntryId(source);
      else if (place === versionPlace) {
        writeInt32(text, versionOf(source));
        lines.end();
      } else if (senderName) writeSender(source, senderName);
      else if (place === restPlace && rows.hasRest()) {
        writePruned(text, source, source.payload, root, 'others');
        lines.end();
      } else writeEmpty();
    }
    lines.endRow();
  }

  return {
    writeHeader,
    add(entry: Buffer): void {
      const before = lines.mark();
      try {
        rows.find(read(entry));
      } catch (error) {
        lines.cutTo(before);
        throw error;
      }
      lines.flushIfLong();
    },
    size: () => sink.length + lines.size(),
    take(): Buffer {
      lines.flush();
      return takeBytes(sink);
    },
  };
}
