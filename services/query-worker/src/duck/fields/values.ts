import type { DuckDBValue } from '@duckdb/node-api';
import { parseExactJson } from '@sluice/json/parse-json.ts';
import type { SourceKind } from './sources.ts';

export type Scalar = string | number | bigint | boolean;

/** Longer texts are not shown. */
const mostCharacters = 1_000;

/** SQL for the place of a value on a scale, see `Scale`. NULL: it has none. */
export const placeOf: Record<SourceKind, string> = {
  number: 'value::double',
  date: 'epoch_ms(value::timestamp)::double',
  time: 'epoch_us(value) / 1000',
  json: 'try_cast(value as double)',
  boolean: 'null::double',
  string: 'null::double',
};

/** SQL for a value as `toScalar` takes it. Of a time, it is in microseconds since 1970. */
export function readable(kind: SourceKind, value = 'value'): string {
  if (kind === 'time') return `epoch_us(${value})`;
  return kind === 'date' ? `${value}::varchar` : value;
}

export const toScalar = (kind: SourceKind, value: DuckDBValue): Scalar =>
  kind === 'json' ? (parseExactJson(value as string) as Scalar) : (value as Scalar);

/** SQL that is true for scalars. */
export const isScalar = (kind: SourceKind): string =>
  kind === 'json' ? "value not in ('[', '{')" : 'value is not null';

/** SQL that is true for the values that can be shown. */
export const canBeShown = (kind: SourceKind): string =>
  kind === 'json' || kind === 'string'
    ? `${isScalar(kind)} and length(value) <= ${mostCharacters}`
    : isScalar(kind);
