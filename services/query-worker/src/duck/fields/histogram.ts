import { edgesBetween } from './bins.ts';
import type { Facts } from './facts.ts';
import type { SourceKind } from './sources.ts';

/** Values from `from` on and below `to`. Where there is one bin, also those at `to`. */
export interface Bin {
  from: number | string;
  to: number | string;
  count: number;
}

/** Where bins begin and end: places on the scale of the kind. */
export function binsOf(kind: SourceKind, { ends }: Pick<Facts, 'ends'>): [number, number][] {
  if (!ends) return [];
  const { least, most } = ends;
  const scale = kind === 'date' || kind === 'time' || kind === 'integer' ? kind : 'number';
  const edges = edgesBetween(least, most, scale);
  if (edges.length === 1) return [[least, most]];
  return edges.slice(1).map((to, at) => [edges[at] as number, to]);
}

export const toBins = (kind: SourceKind, bins: [number, number][], counts: number[]): Bin[] =>
  bins.map(([from, to], at) => ({ from: told(kind, from), to: told(kind, to), count: counts[at] as number }));

function told(kind: SourceKind, place: number): number | string {
  if (kind !== 'time' && kind !== 'date') return place;
  const text = new Date(place).toISOString();
  return kind === 'date' ? text.slice(0, text.indexOf('T')) : text;
}
