import type { DuckDBConnection } from '@duckdb/node-api';
import { fromPointer } from '@sluice/json/pointer.ts';
import { quoted } from '@sluice/shared/sql-text.ts';

/** A column with a field of payloads. */
export interface FileColumn {
  name: string;
  path: string[];
  /** Types of DuckDB: a file can have another than the next one. */
  types: string[];
}

const ofEntry = ['createdAt', 'id', 'schema_version', 'source', 'key', 'payload'];

/** The columns of the files with fields, in the order of their first file. */
export async function readColumns(connection: DuckDBConnection, files: string[]): Promise<FileColumn[]> {
  if (files.length === 0) return [];
  const list = `[${files.map(quoted).join(', ')}]`;
  const read = await connection.runAndReadAll(
    `select name, list(distinct duckdb_type) from parquet_schema(${list})
     where num_children is null and not list_contains([${ofEntry.map(quoted).join(', ')}], name)
     group by name order by min({file: list_position(${list}, file_name), place: column_id})`,
  );
  return read.getRowsJson().map(([name, types]) => ({
    name: name as string,
    path: pathOf(name as string),
    types: types as string[],
  }));
}

/** The keys of a field that is named like its column. */
const pathOf = (name: string): string[] => (name.startsWith('/') ? fromPointer(name) : name.split('.'));
