import type { DuckDBConnection } from '@duckdb/node-api';
import { parseJson } from '@sluice/json/parse-json.ts';
import { fromName, toPointer } from '@sluice/json/pointer.ts';
import { identifier, listed } from '@sluice/shared/sql-text.ts';
import { fieldName } from '@sluice/tables/columns.ts';

/**
 * What the values of a column are. `string`: texts. `text`: texts as they are, or other values as JSON.
 * `mixed`: the column alone says nothing.
 */
export type MemberKind =
  | 'integer'
  | 'number'
  | 'boolean'
  | 'date'
  | 'timestamp'
  | 'string'
  | 'text'
  | 'mixed';

/** `decides`: where the column is NULL, the member is missing, null, or an object with members. */
export interface MemberColumn {
  /** The quoted name. */
  sql: string;
  kind: MemberKind;
  decides: boolean;
}

/** The columns of the members of payloads. */
export interface MemberColumns {
  /** The column of a member. Undefined: none can be used. Null: everywhere it is missing, null, or an object with members. */
  of(path: string[]): MemberColumn | undefined | null;
  /** The quoted names of columns that show, where they are not NULL, that there is an object. Undefined: they cannot be used. */
  below(path: string[]): string[] | undefined;
}

/** Columns that are no fields of payloads. */
export const entryColumns = ['createdAt', 'id', 'schema_version', 'source', 'key', 'payload'];
/** Hive partitions of archives have this name. */
const reserved = [...entryColumns, 'date'];
/** The column that has all other fields, or a field with such a name. */
const isRest = (name: string) => /^_extra_*$/i.test(name);

interface Typed {
  type: string;
  converted: string | null;
  /** JSON types of the values that are text. */
  texts: string[] | undefined;
}

const kindOf = ({ type, converted, texts }: Typed): MemberKind => {
  if (type === 'INT64' && converted === null) return 'integer';
  if (type === 'INT64' && converted === 'TIMESTAMP_MICROS') return 'timestamp';
  if (type === 'INT32' && converted === 'DATE') return 'date';
  if (type === 'DOUBLE') return 'number';
  if (type === 'BOOLEAN') return 'boolean';
  if (type !== 'BYTE_ARRAY' || converted !== 'UTF8') return 'mixed';
  return texts?.every((one) => one === 'string') ? 'string' : 'text';
};

const numeric = new Set<MemberKind>(['integer', 'number']);

/** The kind of a column whose files have these kinds. DuckDB writes what is no text as JSON does, except for timestamps. */
function unionOf(kinds: Set<MemberKind>): MemberKind {
  const [first] = kinds;
  if (kinds.size === 1) return first as MemberKind;
  if (kinds.isSubsetOf(numeric)) return 'number';
  const hasText = kinds.has('text') || kinds.has('string');
  return hasText && !kinds.has('timestamp') && !kinds.has('mixed') ? 'text' : 'mixed';
}

/** For each file that says so, the JSON types of the values that are text, by column. */
export async function readTextTypes(
  connection: DuckDBConnection,
  files: string[],
): Promise<Map<string, Map<string, string[]>>> {
  const noted = await connection.runAndReadAll(
    `select file_name, decode(value) from parquet_kv_metadata(${listed(files)}) where decode(key) = 'sluice.text_types'`,
  );
  return new Map(
    (noted.getRows() as [string, string][]).map(([file, json]) => [
      file,
      new Map(Object.entries(parseJson(json) as Record<string, string[]>)),
    ]),
  );
}

/** What the columns of the files have in common. */
export async function readColumns(connection: DuckDBConnection, files: string[]): Promise<MemberColumns> {
  const all = new Map<string, Map<string, MemberKind>>();
  if (files.length > 0) {
    const texts = await readTextTypes(connection, files);
    const found = await connection.runAndReadAll(
      `select file_name, name, type, converted_type from parquet_schema(${listed(files)}) where num_children is null`,
    );
    for (const [file, name, type, converted] of found.getRows() as [
      string,
      string,
      string,
      string | null,
    ][]) {
      const columns = all.get(file) ?? new Map<string, MemberKind>();
      all.set(file, columns.set(name, kindOf({ type, converted, texts: texts.get(file)?.get(name) })));
    }
  }
  return columnsOf([...all.values()]);
}

/** Readers ignore the case of names: where two names differ in it alone, no column can be used. */
function columnsOf(files: ReadonlyMap<string, MemberKind>[]): MemberColumns {
  const names = new Set(files.flatMap((file) => [...file.keys()]));
  const isClear = new Set(Array.from(names, (name) => name.toLowerCase())).size === names.size;
  const hasRest = (file: ReadonlyMap<string, MemberKind>) => [...file.keys()].some(isRest);
  const nameOf = (path: string[]) => fieldName(toPointer(path), reserved, true);
  const pointers = new Map(
    Array.from(names.difference(new Set(entryColumns)), (name) => [toPointer(fromName(name)), name]),
  );
  return {
    of(path) {
      const name = nameOf(path);
      if (!isClear || isRest(name)) return undefined;
      if (!names.has(name)) return files.some(hasRest) ? undefined : null;
      const kinds = new Set(files.flatMap((file) => file.get(name) ?? []));
      const decides = files.every((file) => file.has(name) || !hasRest(file));
      return { sql: identifier(name), kind: unionOf(kinds), decides };
    },
    below(path) {
      const start = `${toPointer(path)}/`;
      const found = [...pointers].filter(([pointer]) => pointer.startsWith(start));
      return isClear ? found.map(([, name]) => identifier(name)) : undefined;
    },
  };
}
