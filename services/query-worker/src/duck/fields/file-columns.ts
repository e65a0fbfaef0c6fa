import type { DuckDBConnection } from '@duckdb/node-api';
import { fromName } from '@sluice/json/pointer.ts';
import { listed } from '@sluice/shared/sql-text.ts';
import { entryColumns, readTextTypes } from '../columns.ts';

/** A column with a field of payloads. */
export interface FileColumn {
  name: string;
  path: string[];
  /** Types of DuckDB: a file can have another than the next one. */
  types: Set<string>;
  /** The JSON types of what is text in the files; `unknown` where a file does not say. */
  texts: Set<string>;
}

/** The columns of the files with fields. */
export async function readColumns(connection: DuckDBConnection, files: string[]): Promise<FileColumn[]> {
  const notes = await readTextTypes(connection, files);
  const columns = new Map<string, FileColumn>();
  const found = await connection.runAndReadAll(
    `select file_name, name, duckdb_type from parquet_schema(${listed(files)}) where num_children is null`,
  );
  for (const [file, name, type] of found.getRows() as [string, string, string][]) {
    if (entryColumns.includes(name)) continue;
    const column = columns.get(name) ?? { name, path: fromName(name), types: new Set(), texts: new Set() };
    columns.set(name, column);
    column.types.add(type);
    if (type === 'VARCHAR')
      for (const text of notes.get(file)?.get(name) ?? ['unknown']) column.texts.add(text);
  }
  return [...columns.values()];
}

export interface CountedFile {
  path: string;
  entries: number;
}

/** The files, with how many entries each has. */
export async function countEntries(connection: DuckDBConnection, files: string[]): Promise<CountedFile[]> {
  const read = await connection.runAndReadAll(
    `select file_name, num_rows::double from parquet_file_metadata(${listed(files)})
     order by list_position(${listed(files)}, file_name)`,
  );
  return (read.getRows() as [string, number][]).map(([path, entries]) => ({ path, entries }));
}
