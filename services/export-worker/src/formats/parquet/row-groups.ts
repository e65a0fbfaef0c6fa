import { isAscii } from 'node:buffer';
import { setImmediate } from 'node:timers/promises';
import { zstdCompressSync } from 'node:zlib';
import { ByteWriter, type SchemaElement } from 'hyparquet-writer';
import { writeColumn } from 'hyparquet-writer/src/column.js';
import { writeMetadata } from 'hyparquet-writer/src/metadata.js';
import { schemaPathResolver } from 'hyparquet-writer/src/schema.js';
import type { ByteSink } from '../byte-sink.ts';
import type { LeafColumn } from './leaf-column.ts';
import { pageDataOf, type TextAt } from './page-data.ts';
import type { Shredded } from './shredded.ts';

type RowGroup = Parameters<typeof writeMetadata>[1]['row_groups'][number];
type Tree = ReturnType<ReturnType<typeof schemaPathResolver>>[number];

/** Something that readers may know of a file. */
export interface KeyValue {
  key: string;
  value: string;
}

const pageSize = 1024 ** 2;
/** Other work of the process runs after this many values: a file can have thousands of columns. */
const valuesAtOnce = 100_000;

/**
 * Writes row groups. The library's `ParquetWriter` does the same without a pause.
 * With thousands of columns the worker could not renew its lease.
 */
export function createRowGroups(schema: SchemaElement[]) {
  const pathOf = schemaPathResolver(schema);
  const encoders = leafPaths(pathOf([])).map(encoder);

  return async function writeRowGroup(
    writer: ByteWriter,
    { columns, text, rows }: Pick<Shredded, 'columns' | 'text' | 'rows'>,
  ): Promise<RowGroup> {
    const start = writer.offset;
    const chunks: RowGroup['columns'] = [];
    const textAt = textsIn(text);
    let written = 0;
    for (const [index, column] of encoders.entries()) {
      const leaf = columns[index] as LeafColumn;
      const pageData = pageDataOf(leaf, column.element.type as string, rows(), textAt);
      chunks.push(writeColumn({ writer, column, pageData }).chunk);
      written += pageData.values.length;
      if (written < valuesAtOnce) continue;
      await setImmediate();
      written = 0;
    }
    return {
      columns: chunks,
      num_rows: BigInt(rows()),
      total_byte_size: chunks.reduce(
        (sum, chunk) => sum + (chunk.meta_data?.total_uncompressed_size ?? 0n),
        0n,
      ),
      total_compressed_size: BigInt(writer.offset - start),
    };
  };
}

/** Makes the text of some bytes. Where all are ASCII, one string has all texts, and each is a part of it. */
function textsIn({ bytes, length }: Readonly<ByteSink>): TextAt {
  const used = bytes.subarray(0, length);
  if (!isAscii(used)) return (start, end) => bytes.toString('utf8', start, end);
  const all = used.toString('latin1');
  return (start, end) => all.slice(start, end);
}

function leafPaths(path: Tree[]): Tree[][] {
  const { children } = path.at(-1) as Tree;
  return children.length === 0 ? [path] : children.flatMap((child) => leafPaths([...path, child]));
}

function encoder(path: Tree[]): Parameters<typeof writeColumn>[0]['column'] {
  const schemaPath = path.map(({ element }) => element);
  const element = schemaPath.at(-1) as SchemaElement;
  return {
    columnName: schemaPath.map(({ name }) => name).join('.'),
    element,
    schemaPath,
    codec: 'ZSTD',
    compressors: { ZSTD: (bytes) => zstdCompressSync(bytes) },
    // Statistics of texts would make the footer large.
    stats: element.converted_type !== 'UTF8',
    pageSize,
    columnIndex: false,
    offsetIndex: false,
  };
}

/** The type of a list of structs in Thrift's compact protocol. */
const structs = 12;
const lengthBytes = 4;
const noGroup: RowGroup = { columns: [], num_rows: 0n, total_byte_size: 0n };

/**
 * The footer of a file, made of bytes: the row groups as objects take many times the memory.
 * The bytes of a group are cut out of a footer with only this group, and do not depend on other groups.
 */
export function createFooter(schema: SchemaElement[]) {
  function metadata(row_groups: RowGroup[], num_rows = 0n, key_value_metadata?: KeyValue[]): Buffer {
    const writer = new ByteWriter();
    const about = { version: 2, created_by: 'sluice', metadata_length: 0 };
    writeMetadata(writer, { ...about, schema, num_rows, row_groups, key_value_metadata });
    return Buffer.from(writer.getBytes().subarray(0, -lengthBytes));
  }

  const empty = metadata([]);
  // The first byte that differs is the length of the list.
  const head = metadata([noGroup]).findIndex((byte, index) => byte !== empty[index]);
  const tail = empty.length - head - 1;

  return {
    /** The bytes of a row group for `write`. */
    describe(group: RowGroup): Buffer {
      const one = metadata([group]);
      return one.subarray(head + 1, one.length - tail);
    },

    /** Writes the footer, then its length. */
    write(
      writer: ByteWriter,
      groups: Iterable<Buffer>,
      { count, rows, notes }: { count: number; rows: number; notes?: KeyValue[] | undefined },
    ): void {
      const start = writer.offset;
      const around = metadata([], BigInt(rows), notes);
      const end = tail + around.length - metadata([], BigInt(rows)).length;
      writer.appendBytes(around.subarray(0, -end - 1));
      writer.appendUint8((Math.min(count, 15) << 4) | structs);
      if (count >= 15) writer.appendVarInt(count);
      for (const group of groups) writer.appendBytes(group);
      writer.appendBytes(around.subarray(-end));
      writer.appendUint32(writer.offset - start);
    },
  };
}
