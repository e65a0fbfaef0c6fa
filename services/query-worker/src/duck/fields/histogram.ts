import type { DuckDBConnection } from '@duckdb/node-api';
import { edgesBetween, type Scale } from './bins.ts';
import type { ValueTable } from './groups.ts';

/** Values from `from` on and below `to`. Where there is one bin, also those at `to`. */
export interface Bin {
  from: number | string;
  to: number | string;
  count: number;
}

const double = (value: number) => `'${value}'::double`;

/** Counts the entries of a table in bins. `place`: SQL for the place of a value. */
export async function histogramOf(
  connection: DuckDBConnection,
  table: ValueTable,
  { place, least, most, scale }: { place: string; least: number; most: number; scale: Scale },
): Promise<Bin[]> {
  const edges = edgesBetween(least, most, scale);
  const isOne = edges.length === 1;
  const bins = isOne
    ? [[least, most] as const]
    : edges.slice(1).map((to, at) => [edges[at] as number, to] as const);
  const sums = bins.map(
    ([from, to]) =>
      `sum(entries) filter (${place} >= ${double(from)} and ${place} ${isOne ? '<=' : '<'} ${double(to)})`,
  );
  const read = await connection.runAndReadAll(
    `select ${sums.map((sum) => `coalesce(${sum}, 0)::double`).join(', ')} from ${table}`,
  );
  const counts = read.getRows()[0] as number[];
  return bins.map(([from, to], at) => ({
    from: toldOn(scale, from),
    to: toldOn(scale, to),
    count: counts[at] as number,
  }));
}

function toldOn(scale: Scale, place: number): number | string {
  if (scale !== 'time' && scale !== 'date') return place;
  const text = new Date(place).toISOString();
  return scale === 'date' ? (text.split('T')[0] as string) : text;
}
