/** The types of JSON as bits. Fractions are numbers that are no integers. */
export const types = { null: 1, boolean: 2, integer: 4, fraction: 8, string: 16, object: 32, array: 64 };
export const numbers = types.integer | types.fraction;
export const everyType = 127;
const named: Record<string, number> = { ...types, number: numbers };

export function ownTypes(type: unknown): number {
  if (typeof type === 'string') return named[type] ?? everyType;
  return Array.isArray(type) ? unionOf(type, ownTypes) : everyType;
}

export function unionOf<Item>(items: Item[], setOf: (item: Item) => number): number {
  return items.reduce((union, item) => union | setOf(item), 0);
}
