import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { ColumnKind } from '@sluice/jobs/record/export-record.ts';
import type { Schema } from '@sluice/schemas/schema.ts';
import type { Column } from '@sluice/tables/columns.ts';
import { ByteWriter, type SchemaElement } from 'hyparquet-writer';
import type { FileFormat } from '../format.ts';
import { fileColumns } from './file-columns.ts';
import { createFooter } from './footer.ts';
import { createReadCells } from './read-cells.ts';
import { createRowBuffer } from './row-buffer.ts';
import { createRowGroups } from './row-group.ts';
import { schemaElements } from './schema-elements.ts';
import type { Dates } from './typed-tree.ts';

interface Options {
  /** The versions of the JSON Schema: each payload is valid by one of them. */
  schemas: [Schema, ...Schema[]];
  /** All of the application. */
  columns: Column[];
  /** Names of the columns to keep; absent: whole entries. */
  selected?: string[] | undefined;
  /** What a survey found; absent: as the schemas say. */
  kinds?: ColumnKind[] | undefined;
  dates?: Dates;
  /** Of all pieces so far, in their order. */
  notes?: unknown[];
}

/** What the footer has to tell of a piece. */
interface Note {
  bytes: number;
  /** Of its row group, if it has one. */
  rows: number;
  /** The group as the footer has it, compressed, in Base64. */
  group?: string;
}

/** `PAR1`, at both ends of a file. */
const magic = 0x31524150;

/**
 * A row for each entry: `createdAt`, the properties of the schema with its types, nested as they are, and a column
 * of JSON text for each leaf that the schema does not declare. A piece is a row group, the last one has the footer.
 */
export function createParquet({ notes = [], ...options }: Options): FileFormat {
  const shown = fileColumns(options);
  const elements = schemaElements(shown);
  const top = elements.map(([element]) => element as SchemaElement);
  const all = [{ name: 'entry', num_children: top.length }, ...elements.flat()];
  const readCells = createReadCells(shown, options.selected === undefined);
  const buffer = createRowBuffer(top.length);
  const writeRowGroup = createRowGroups(all);
  const footer = createFooter(all);
  const written = [...(notes as Note[])];
  const writer = new ByteWriter();
  writer.offset = written.reduce((sum, { bytes }) => sum + bytes, 0);
  let entryBytes = 0;
  let isEnd = false;

  async function writeEntries(): Promise<Omit<Note, 'bytes'>> {
    const rows = buffer.count();
    entryBytes = 0;
    if (rows === 0) return { rows };
    const group = footer.describe(await writeRowGroup(writer, rows, buffer.take()));
    return { rows, group: zstdCompressSync(group).toString('base64') };
  }

  function writeEnd(pieces: Omit<Note, 'bytes'>[]): void {
    const packed = pieces.flatMap(({ group }) => group ?? []);
    const groups = packed.values().map((group) => zstdDecompressSync(Buffer.from(group, 'base64')));
    const rows = pieces.reduce((sum, { rows }) => sum + rows, 0);
    footer.write(writer, groups, { count: packed.length, rows });
    writer.appendUint32(magic);
  }

  return {
    columns: top.map(({ name }) => name),
    passes: 1,
    open() {
      writer.appendUint32(magic);
    },
    add(document) {
      buffer.add(readCells(document));
      entryBytes += document.length;
    },
    close() {
      isEnd = true;
    },
    size: () => entryBytes + writer.index + Number(isEnd),
    async take() {
      const piece = await writeEntries();
      if (isEnd) writeEnd([...written, piece]);
      isEnd = false;
      const data = writer.getBytes().slice();
      writer.index = 0;
      const note: Note = { bytes: data.length, ...piece };
      written.push(note);
      return { data, note };
    },
  };
}
