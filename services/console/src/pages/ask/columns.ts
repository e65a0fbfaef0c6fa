import type { Schema } from '@sluice/schemas/schema.ts';
import { columnsOf, type Meta } from '@sluice/tables/columns.ts';
import { fieldsOf, type ValueKind } from '../entries/fields.ts';

/** A column of the view `entries`. */
export interface AskedColumn {
  /** As it stands in SQL. */
  sql: string;
  kind: ValueKind;
  /** Whether payloads have it. */
  isField: boolean;
}

const kindsOfEntry: Record<string, ValueKind> = {
  createdAt: 'time',
  schema_version: 'number',
  payload: 'nested',
};

/** `duckdb_keywords()` of the kinds `reserved` and `type_function`: names only inside double quotes. */
const reservedWords = (
  'all analyse analyze and anti any array as asc asof asymmetric at authorization binary both by case cast check collate ' +
  'collation column columns concurrently constraint create cross default deferrable desc describe distinct do else end except ' +
  'false fetch for foreign freeze from full generated glob group having ilike in initially inner intersect into is isnull join ' +
  'lambda lateral leading left like limit map natural not notnull null offset on only or order outer overlaps pivot ' +
  'pivot_longer pivot_wider placing positional primary qualify references returning right select semi show similar some struct ' +
  'summarize symmetric table tablesample then to trailing true try_cast union unique unpack unpivot using variadic verbose ' +
  'when where window with'
).split(' ');

/** Words to complete and to highlight. */
export const sqlWords = [
  ...reservedWords,
  ...['between', 'exists', 'extract', 'filter', 'first', 'interval', 'last', 'nulls', 'over', 'partition'],
];

export const sqlFunctions = (
  'approx_count_distinct avg coalesce count count_if date_part date_trunc first json_extract_string lag last lower max ' +
  'median min mode quantile_cont round row_number stddev string_agg strftime sum time_bucket upper'
).split(' ');

const reserved = new Set(reservedWords);

/** In double quotes, where SQL would take the name for something else. */
export const nameInSql = (name: string): string =>
  /^[a-z_]\w*$/i.test(name) && !reserved.has(name.toLowerCase()) ? name : `"${name.replaceAll('"', '""')}"`;

/** Those of entries, then the fields of the schema, as files of archives name them. */
export function columnsToAsk(schema: Schema): AskedColumn[] {
  const { fieldAt } = fieldsOf(schema);
  const meta: Meta[] = ['id', 'schema_version', 'source', 'key'];
  return columnsOf(schema, [], { meta, hasPayload: true, inLake: true }).map(({ name, pointer }) => ({
    sql: nameInSql(name),
    kind: pointer === undefined ? (kindsOfEntry[name] ?? 'text') : fieldAt(pointer).kind,
    isField: pointer !== undefined,
  }));
}
