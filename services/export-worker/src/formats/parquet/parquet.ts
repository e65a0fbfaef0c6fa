import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { Meta } from '@sluice/tables/columns.ts';
import { ByteWriter, type SchemaElement } from 'hyparquet-writer';
import type { FileFormat, SenderText } from '../format.ts';
import { type ColumnOptions, fileColumns } from './file-columns.ts';
import type { FileColumns, Leaf, LeafKind, Node } from './nodes.ts';
import { createFooter, createRowGroups } from './row-groups.ts';
import { createShred } from './shred.ts';

interface Options extends ColumnOptions {
  /** Notes of all pieces so far, in order. */
  notes?: unknown[];
  senderText?: SenderText | undefined;
}

interface Note {
  /** Bytes of the piece. */
  bytes: number;
  rows: number;
  /** The row group for the footer, compressed, in Base64; absent if the piece has no rows. */
  group?: string;
}

/**
 * Note of a file in a lake: an object with the JSON types that each column of texts has. Where there are other types
 * than strings, some texts are JSON: the column alone does not tell `5` from `"5"`.
 */
const textTypesKey = 'sluice.text_types';

/** `PAR1`, at both ends of a file. */
const magic = 0x31524150;

/**
 * Writes a row for each entry: `createdAt`, the typed and nested properties of the schema, and undeclared fields as JSON.
 * A piece is a row group; the last piece has the footer.
 */
export function createParquet({ notes = [], senderText, ...options }: Options): FileFormat {
  const shown = fileColumns(options);
  const elements = schemaElements(shown);
  const top = elements.map(([element]) => element as SchemaElement);
  const all = [{ name: 'entry', num_children: top.length }, ...elements.flat()];
  const shredded = createShred(shown, options.selected === undefined, senderText);
  const writeRowGroup = createRowGroups(all);
  const footer = createFooter(all);
  const written = [...(notes as Note[])];
  const writer = new ByteWriter();
  writer.offset = written.reduce((sum, { bytes }) => sum + bytes, 0);
  let entryBytes = 0;
  let isEnd = false;

  async function writeEntries(): Promise<Omit<Note, 'bytes'>> {
    const rows = shredded.rows();
    entryBytes = 0;
    if (rows === 0) return { rows };
    const group = footer.describe(await writeRowGroup(writer, shredded));
    shredded.clear();
    return { rows, group: zstdCompressSync(group).toString('base64') };
  }

  function writeEnd(pieces: Omit<Note, 'bytes'>[]): void {
    const packed = pieces.flatMap(({ group }) => group ?? []);
    const groups = packed.values().map((group) => zstdDecompressSync(Buffer.from(group, 'base64')));
    const rows = pieces.reduce((sum, { rows }) => sum + rows, 0);
    footer.write(writer, groups, {
      count: packed.length,
      rows,
      // In a lake, one worker writes a whole file.
      notes: options.inLake
        ? [{ key: textTypesKey, value: JSON.stringify(shredded.textTypes()) }]
        : undefined,
    });
    writer.appendUint32(magic);
  }

  return {
    columns: top.map(({ name }) => name),
    passes: 1,
    open() {
      writer.appendUint32(magic);
    },
    add(document) {
      shredded.add(document);
      entryBytes += document.length;
    },
    close() {
      isEnd = true;
    },
    size: () => Math.max(entryBytes, shredded.nulls()) + writer.index + Number(isEnd),
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

/** Also for JSON: some readers show Parquet's JSON type as bytes. */
const text = { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } } as const;
const scalars: Record<LeafKind, Partial<SchemaElement>> = {
  string: text,
  json: text,
  integer: { type: 'INT64' },
  number: { type: 'DOUBLE' },
  boolean: { type: 'BOOLEAN' },
  date: { type: 'INT32', converted_type: 'DATE', logical_type: { type: 'DATE' } },
  timestamp: {
    type: 'INT64',
    converted_type: 'TIMESTAMP_MICROS',
    logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MICROS' },
  },
};
const ofSender = { ...text, repetition_type: 'OPTIONAL' } as const;
const ofEntry: Record<Meta, Partial<SchemaElement>> = {
  id: { ...text, repetition_type: 'REQUIRED' },
  schema_version: { type: 'INT32', repetition_type: 'REQUIRED' },
  source: ofSender,
  key: ofSender,
  by: ofSender,
};
const createdAt = {
  type: 'INT64',
  repetition_type: 'REQUIRED',
  converted_type: 'TIMESTAMP_MILLIS',
  logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MILLIS' },
} as const;
const json: Leaf = { kind: 'json' };

/** The schema elements of each column, each followed by its inner elements, as Parquet orders them. */
export function schemaElements({
  time,
  meta = [],
  tree,
  others,
  rest,
  payload,
}: FileColumns): SchemaElement[][] {
  return [
    ...(time === undefined ? [] : [[{ name: time, ...createdAt }]]),
    ...meta.map((name): SchemaElement[] => [{ name, ...ofEntry[name] }]),
    ...(payload === undefined ? [] : [[{ name: payload, ...text, repetition_type: 'REQUIRED' as const }]]),
    ...[...tree.fields.values(), ...others].map(({ name, node }) => elements(name, node)),
    ...(rest === undefined ? [] : [elements(rest, json)]),
  ];
}

function elements(name: string, node: Node): SchemaElement[] {
  const element: SchemaElement = { name, repetition_type: 'OPTIONAL' };
  if (node.kind === 'struct') {
    const fields = [...node.fields.values()].map((field) => elements(field.name, field.node));
    if (node.extra) fields.push(elements(node.extra, json));
    return [{ ...element, num_children: fields.length }, ...fields.flat()];
  }
  if (node.kind === 'list') {
    return [
      { ...element, num_children: 1, converted_type: 'LIST', logical_type: { type: 'LIST' } },
      { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
      ...elements('element', node.item),
    ];
  }
  return [{ ...element, ...scalars[node.kind] }];
}
