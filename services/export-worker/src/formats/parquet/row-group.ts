import { setImmediate } from 'node:timers/promises';
import { zstdCompressSync } from 'node:zlib';
import type { ByteWriter, SchemaElement } from 'hyparquet-writer';
import { writeColumn } from 'hyparquet-writer/src/column.js';
import { encodeNestedValues } from 'hyparquet-writer/src/dremel.js';
import type { writeMetadata } from 'hyparquet-writer/src/metadata.js';
import { schemaPathResolver } from 'hyparquet-writer/src/schema.js';
import type { Values } from './row-buffer.ts';

export type RowGroup = Parameters<typeof writeMetadata>[1]['row_groups'][number];
type Tree = ReturnType<ReturnType<typeof schemaPathResolver>>[number];

const pageSize = 1024 ** 2;
/** After so many values others have their turn: a file can have thousands of columns. */
const valuesAtOnce = 100_000;

/**
 * Writes row groups. The library's own `ParquetWriter` does the same, all columns in one go; here a worker that has
 * thousands of them can still say that it is alive.
 */
export function createRowGroups(schema: SchemaElement[]) {
  const pathOf = schemaPathResolver(schema);
  const [root] = pathOf([]);
  const columns = (root as Tree).children.map(({ element }) => fieldPaths(pathOf([element.name])));

  return async function writeRowGroup(writer: ByteWriter, rows: number, values: Values[]): Promise<RowGroup> {
    const start = writer.offset;
    const chunks: RowGroup['columns'] = [];
    let written = 0;
    for (const [index, paths] of columns.entries()) {
      const data = (values[index] as Values)();
      for (const path of paths) {
        const pageData = encodeNestedValues(path, data);
        chunks.push(writeColumn({ writer, column: encoder(path), pageData }).chunk);
        written += pageData.values.length;
        if (written < valuesAtOnce) continue;
        await setImmediate();
        written = 0;
      }
    }
    return {
      columns: chunks,
      num_rows: BigInt(rows),
      total_byte_size: chunks.reduce(
        (sum, chunk) => sum + (chunk.meta_data?.total_uncompressed_size ?? 0n),
        0n,
      ),
      total_compressed_size: BigInt(writer.offset - start),
    };
  };
}

function fieldPaths(path: Tree[]): Tree[][] {
  const { children } = path.at(-1) as Tree;
  return children.length === 0 ? [path] : children.flatMap((child) => fieldPaths([...path, child]));
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
    // Those of texts would make the footer large.
    stats: element.converted_type !== 'UTF8',
    pageSize,
    columnIndex: false,
    offsetIndex: false,
  };
}
