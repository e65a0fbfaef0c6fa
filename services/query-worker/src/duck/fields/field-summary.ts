import type { DuckDBValue } from '@duckdb/node-api';
import type { Scalar } from '@sluice/store/entries/entry-filter.ts';
import type { Facts } from './facts.ts';
import type { Bin } from './histogram.ts';
import type { FieldSource } from './sources.ts';
import { toScalar } from './values.ts';

export const mostShown = 10;

/** What was counted of a field. */
export interface Described {
  source: FieldSource;
  facts: Facts;
  /** The most frequent values that can be shown, and how many entries have them. */
  top: [DuckDBValue, number][];
  histogram: Bin[];
}

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

export function toSummary({ source, facts, top, histogram }: Described): FieldSummary {
  const { name, kind } = source;
  const { all, nulls, distinct, types, ends } = facts;
  const share = (count: number) => count / Math.max(all, 1);
  return {
    path: name,
    types: types
      .toSorted(([, one], [, other]) => other - one)
      .map(([type, count]) => ({ type, share: share(count) })),
    null_share: all === 0 ? 1 : share(nulls),
    distinct,
    top: top.map(([value, count]) => ({ value: toScalar(kind, value), count })),
    ...(ends && { min: toScalar(kind, ends.min), max: toScalar(kind, ends.max), histogram }),
  };
}
