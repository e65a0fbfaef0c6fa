import { listedValuesIn } from '@sluice/schemas/columns/listed-values.ts';
import type { Leaf } from './nodes.ts';
import type { Schema } from './schema-types.ts';

/** A column of this type holds every number up to this magnitude, as it is printed. Doubles next to 2^63 are 1,024 apart. */
const most = new Map<Leaf['kind'], number>([
  ['integer', 2 ** 63 - 1_024],
  ['number', Number.MAX_SAFE_INTEGER],
]);

const within = (bound: number) => (value: unknown) => typeof value !== 'number' || Math.abs(value) <= bound;
const numbersIn = (values: unknown[]) => values.filter((value) => typeof value === 'number');

/** Whether a kind of column may not hold all numbers to which schemas within a root apply. */
export function createIsOpen(root: Schema) {
  const listedValues = listedValuesIn(root);

  return (kind: Leaf['kind'], parts: Iterable<Schema>): boolean => {
    const bound = most.get(kind);
    if (bound === undefined) return false;
    let [low, high] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
    for (const part of parts) {
      if (listedValues(part).some((values) => values.every(within(bound)))) return false;
      const { minimum, exclusiveMinimum, maximum, exclusiveMaximum } = part;
      low = Math.max(low, ...numbersIn([minimum, exclusiveMinimum]));
      high = Math.min(high, ...numbersIn([maximum, exclusiveMaximum]));
    }
    return low < -bound || high > bound;
  };
}
