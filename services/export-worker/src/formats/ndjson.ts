import { announcedIn, createEntryReader, receivedAt, senderIn, versionOf } from '@sluice/bson/entry.ts';
import { document } from '@sluice/bson/types.ts';
import { type Column, type Meta, senderMeta } from '@sluice/tables/columns.ts';
import { createByteSink, takeBytes, writeAscii } from './byte-sink.ts';
import { createTimeWriter, writeId } from './entry-meta.ts';
import { addField, createRoot } from './field-tree.ts';
import { columnsNamed, type FileFormat, isTime, type SenderText } from './format.ts';
import { writeInt32 } from './json-number.ts';
import { writeJson, writePruned } from './write-json.ts';

interface Options {
  columns?: Column[] | undefined;
  /** Names of the columns to keep; absent: whole entries. */
  selected?: string[] | undefined;
  withVersion?: boolean | undefined;
  meta?: Meta[] | undefined;
  /** Whether lines have all that an entry is made of again: see `entriesOfLines`. */
  withOrigin?: boolean | undefined;
  senderText?: SenderText | undefined;
}

/** Writes a line `{"id":…,"createdAt":…,"payload":{…}}` for each entry, the payload as stored. */
export function createNdjson({
  columns = [],
  selected,
  withVersion,
  meta = [],
  withOrigin = false,
  senderText,
}: Options = {}): FileFormat {
  const shown = new Set(columnsNamed(columns, selected));
  const withTime = !selected || columns.some((column) => isTime(column) && shown.has(column));
  const senderNames = senderMeta.filter((name) => meta.includes(name));
  const root = createRoot();
  for (const column of columns)
    if (column.pointer !== undefined) addField(root, column.pointer, shown.has(column) ? 0 : -1);
  const read = createEntryReader();
  const writeTime = createTimeWriter();
  const sink = createByteSink();

  function writeOrigin(name: string, number: number): void {
    if (number === 0) return;
    writeAscii(sink, name);
    writeInt32(sink, number);
  }

  return {
    columns: selected ?? columns.map(({ name }) => name),
    passes: 1,
    open() {},
    add(entry) {
      const source = read(entry);
      writeAscii(sink, '{"id":"');
      writeId(sink, source);
      writeAscii(sink, '"');
      if (withVersion) {
        writeAscii(sink, ',"schema_version":');
        writeInt32(sink, versionOf(source));
      }
      if (withTime) {
        writeAscii(sink, ',"createdAt":"');
        writeTime(sink, source);
        writeAscii(sink, '"');
      }
      const received = receivedAt(source);
      if (received) writeAscii(sink, `,"received_at":"${received.toISOString()}"`);
      for (const name of senderNames) {
        const told = senderText?.(senderIn(source), name);
        if (told !== undefined) writeAscii(sink, `,"${name}":"${told}"`);
      }
      if (withOrigin) {
        writeOrigin(',"sender":', senderIn(source));
        writeOrigin(',"announced":', announcedIn(source));
      }
      writeAscii(sink, ',"payload":');
      if (selected) writePruned(sink, source, source.payload, root);
      else writeJson(sink, source, document, source.payload);
      writeAscii(sink, '}\n');
    },
    close() {},
    size: () => sink.length,
    take: () => ({ data: takeBytes(sink) }),
  };
}
