import type { DuckDBListValue, DuckDBStructValue, DuckDBValue } from '@duckdb/node-api';
import type { SourceKind } from './sources.ts';
import { isScalar, jsonTypes, placeOf, readable } from './values.ts';

/** What is known of all values of a field. */
export interface Facts {
  all: number;
  nulls: number;
  distinct: number;
  /** Types that occur, and how many entries have them. */
  types: [string, number][];
  /** The least and the greatest value on a scale, and their places there. Absent: no value is on one. */
  ends?: { least: number; most: number; min: DuckDBValue; max: DuckDBValue };
}

/** SQL for how many entries, and how many different values, meet a condition. */
export interface Counting {
  entries(condition: string): string;
  values(value: string, condition: string): string;
}

const typeNames: Record<Exclude<SourceKind, 'json'>, string> = {
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
  string: 'string',
  date: 'string',
  time: 'string',
};

/** SQL for the facts of a field. */
export function factsOf(kind: SourceKind, value: string, { entries, values }: Counting): string {
  const types = kind === 'json' ? Object.values(jsonTypes).map((isOfType) => entries(isOfType(value))) : [];
  const [min, max] = [endOf('min', kind, value), endOf('max', kind, value)];
  return `{
    counts: [${[entries('true'), entries(`${value} is null`), ...types].join(', ')}],
    different: ${values(value, isScalar(kind, value))},
    least: ${placeOf(kind, min)}, most: ${placeOf(kind, max)}, min: ${readable(kind, min)}, max: ${readable(kind, max)}
  }`;
}

/** SQL for the least or the greatest value on a scale; NULL where there is none. */
function endOf(which: 'min' | 'max', kind: SourceKind, value: string): string {
  if (kind === 'string' || kind === 'boolean') return 'null';
  if (kind !== 'json') return `${which}(${value})`;
  const place = placeOf(kind, value);
  // Two integers can be one double.
  const exactly = `{place: ${place}, integer: try_cast(${value} as bigint)}`;
  return `arg_${which}(${value}, ${exactly}) filter (${place} is not null)`;
}

export function toFacts(kind: SourceKind, found: DuckDBValue): Facts {
  const { counts, different, least, most, min, max } = (found as DuckDBStructValue).entries;
  const [all, nulls, ...ofTypes] = (counts as DuckDBListValue).items as [number, number];
  const types: [string, number][] =
    kind === 'json'
      ? Object.keys(jsonTypes).map((name, at) => [name, ofTypes[at] as unknown as number])
      : [[typeNames[kind], all - nulls]];
  const ends = { least, most, min, max } as Required<Facts>['ends'];
  return {
    all,
    nulls,
    distinct: Math.min(different as number, all - nulls),
    types: types.filter(([, count]) => count > 0),
    ...(ends.least !== null && { ends }),
  };
}
