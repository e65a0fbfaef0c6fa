import type { DuckDBConnection, DuckDBValue } from '@duckdb/node-api';
import type { Scale } from './bins.ts';
import type { ValueTable } from './groups.ts';
import { type Bin, histogramOf } from './histogram.ts';
import type { Source, SourceKind } from './sources.ts';
import { canBeShown, isScalar, placeOf, readable, type Scalar, toScalar } from './values.ts';

/** What the values of a field are. Shares are of all entries. */
export interface FieldSummary {
  path: string;
  types: { type: string; share: number }[];
  null_share: number;
  distinct: number;
  top: { value: Scalar; count: number }[];
  min?: Scalar;
  max?: Scalar;
  histogram?: Bin[];
}

export const mostShown = 10;

type Described = Pick<Source, 'name' | 'kind'>;
type Rows = (sql: string) => Promise<DuckDBValue[][]>;

/** Describes a field from how many entries have each of its values. */
export async function describeValues(
  connection: DuckDBConnection,
  source: Described,
  table: ValueTable,
): Promise<FieldSummary> {
  const { name, kind } = source;
  const rows: Rows = async (sql) => (await connection.runAndReadAll(sql)).getRows();
  const [[all, nulls, distinct]] = (await rows(
    `select coalesce(sum(entries), 0)::double, coalesce(sum(entries) filter (value is null), 0)::double,
       count(*) filter (${isScalar(kind)})::double
     from ${table}`,
  )) as [[number, number, number]];
  const share = (count: number) => count / Math.max(all, 1);
  const types = await countTypes(rows, kind, table);
  const top = await rows(
    `select ${readable(kind)}, entries::double from ${table} where ${canBeShown(kind)}
     order by entries desc, value limit ${mostShown}`,
  );
  return {
    path: name,
    types: types.map(([type, count]) => ({ type, share: share(count) })),
    null_share: all === 0 ? 1 : share(nulls),
    distinct,
    top: top.map(([value = null, count]) => ({ value: toScalar(kind, value), count: count as number })),
    ...(await describeScale(connection, rows, kind, table)),
  };
}

const typeNames: Record<Exclude<SourceKind, 'json'>, string> = {
  number: 'number',
  boolean: 'boolean',
  string: 'string',
  date: 'string',
  time: 'string',
};

/** JSON's types, with the entries of each, the most frequent first. */
async function countTypes(rows: Rows, kind: SourceKind, table: ValueTable): Promise<[string, number][]> {
  const type =
    kind === 'json'
      ? `case left(value, 1) when '"' then 'string' when '[' then 'array' when '{' then 'object'
           when 't' then 'boolean' when 'f' then 'boolean' else 'number' end`
      : `'${typeNames[kind]}'`;
  return (await rows(
    `select ${type} as type, sum(entries)::double as count from ${table} where value is not null
     group by type order by count desc, type`,
  )) as [string, number][];
}

/** The ends and the histogram of what has places on a scale. */
async function describeScale(
  connection: DuckDBConnection,
  rows: Rows,
  kind: SourceKind,
  table: ValueTable,
): Promise<Pick<FieldSummary, 'min' | 'max' | 'histogram'>> {
  const place = placeOf[kind];
  // Two integers can be one double.
  const exactly = `{place: ${place}, integer: try_cast(value as bigint)}`;
  const end = (which: 'min' | 'max') =>
    kind === 'json'
      ? `arg_${which}(value, ${exactly}) filter (${place} is not null)`
      : readable(kind, `${which}(value)`);
  const [[least, most, min, max, type]] = (await rows(
    `select min(${place}), max(${place}), ${end('min')}, ${end('max')}, any_value(typeof(value)) from ${table}`,
  )) as [[number | null, number | null, DuckDBValue, DuckDBValue, string]];
  if (least === null || most === null) return {};
  const scale: Scale = kind === 'date' || kind === 'time' ? kind : type === 'BIGINT' ? 'integer' : 'number';
  return {
    min: toScalar(kind, min),
    max: toScalar(kind, max),
    histogram: await histogramOf(connection, table, { place, least, most, scale }),
  };
}
