import type { DuckDBValue } from '@duckdb/node-api';
import { parseExactJson } from '@sluice/json/parse-json.ts';
import { quoted } from '@sluice/shared/sql-text.ts';
import type { Scalar } from '@sluice/store/entries/entry-filter.ts';
import type { SourceKind } from './sources.ts';

/** Bytes of a text. Longer ones are counted, but not shown. */
const mostBytes = 200;

/** SQL for a value, or for a text of 201 bytes that stands for a longer text and begins like it. */
export const shortened = (kind: SourceKind, value: string): string =>
  hasTexts(kind)
    ? `case when strlen(${value}) > ${mostBytes} then rpad(left(${value}, 1) || hash(${value}), ${mostBytes + 1}, '.') else ${value} end`
    : value;

const hasTexts = (kind: SourceKind) => kind === 'json' || kind === 'string';

const types: Record<SourceKind, string> = {
  integer: 'bigint',
  number: 'double',
  boolean: 'boolean',
  string: 'varchar',
  date: 'date',
  time: 'timestamptz',
  json: 'varchar',
};

/** SQL for a value, from its text. */
export const literal = (kind: SourceKind, text: string): string => `${quoted(text)}::${types[kind]}`;

/** SQL for the place of a value on a scale, see `Scale`. NULL: it has none. */
export function placeOf(kind: SourceKind, value: string): string {
  if (kind === 'integer' || kind === 'number') return `${value}::double`;
  if (kind === 'date') return `epoch_ms(${value}::timestamp)::double`;
  if (kind === 'time') return `epoch_us(${value}) / 1000`;
  return kind === 'json' ? `try_cast(${value} as double)` : 'null::double';
}

/** SQL for a value as `toScalar` takes it. Of a time, it is in microseconds since 1970. */
export function readable(kind: SourceKind, value: string): string {
  if (kind === 'time') return `epoch_us(${value})`;
  return kind === 'date' ? `${value}::varchar` : value;
}

export const toScalar = (kind: SourceKind, value: DuckDBValue): Scalar =>
  kind === 'json' ? (parseExactJson(value as string) as Scalar) : (value as Scalar);

/** SQL that is true for scalars. */
export const isScalar = (kind: SourceKind, value: string): string =>
  kind === 'json' ? `left(${value}, 1) not in ('[', '{')` : `${value} is not null`;

/** SQL that is true for the values that can be shown. */
export const canBeShown = (kind: SourceKind, value: string): string =>
  `${isScalar(kind, value)}${hasTexts(kind) ? ` and strlen(${value}) <= ${mostBytes}` : ''}`;

/** SQL that is true for JSON texts of a type. */
export const jsonTypes: Record<string, (json: string) => string> = {
  string: (json) => `left(${json}, 1) = '"'`,
  number: (json) => `left(${json}, 1) not in ('"', 't', 'f', '[', '{')`,
  boolean: (json) => `left(${json}, 1) in ('t', 'f')`,
  array: (json) => `left(${json}, 1) = '['`,
  object: (json) => `left(${json}, 1) = '{'`,
};
