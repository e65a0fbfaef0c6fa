import { listedValuesIn } from '@sluice/schemas/columns/listed-values.ts';
import type { Leaf } from './nodes.ts';
import type { Schema } from './schema-types.ts';

/** A column of this type holds every number from the first to the second, as it is printed. */
const ranges = new Map<Leaf['kind'], [number | bigint, number | bigint]>([
  ['integer', [-(2n ** 63n), 2n ** 63n - 1n]],
  ['number', [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER]],
]);

const isNumber = (value: unknown) => typeof value === 'number' || typeof value === 'bigint';
const numbersIn = (values: unknown[]) => values.filter(isNumber);

/** Whether a kind of column may not hold all numbers to which schemas within a root apply. */
export function createIsOpen(root: Schema) {
  const listedValues = listedValuesIn(root);

  return (kind: Leaf['kind'], parts: Iterable<Schema>): boolean => {
    const range = ranges.get(kind);
    if (range === undefined) return false;
    const [least, most] = range;
    const isHeld = (value: unknown) => !isNumber(value) || (value >= least && value <= most);
    let hasLow = false;
    let hasHigh = false;
    for (const part of parts) {
      if (listedValues(part).some((values) => values.every(isHeld))) return false;
      const { minimum, exclusiveMinimum, maximum, exclusiveMaximum } = part;
      hasLow ||= numbersIn([minimum, exclusiveMinimum]).some((bound) => bound >= least);
      hasHigh ||= numbersIn([maximum, exclusiveMaximum]).some((bound) => bound <= most);
    }
    return !hasLow || !hasHigh;
  };
}
