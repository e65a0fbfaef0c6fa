import { toPointer } from '@sluice/json/pointer.ts';
import { valueTypes } from '@sluice/schemas/fields/value-types.ts';
import type { Schema } from '@sluice/schemas/schema.ts';
import { isObject } from '@sluice/schemas/schema.ts';
import type { Column } from './columns.ts';
import { createNames } from './names.ts';

/** The schemas of each property, in the order of their declaration. */
export function propertiesOf(parts: Set<Schema>): Map<string, Schema[]> {
  const found = new Map<string, Schema[]>();
  for (const { properties } of parts) {
    if (!isObject(properties)) continue;
    for (const [name, property] of Object.entries(properties)) {
      const schemas = found.get(name) ?? [];
      schemas.push(isObject(property) ? property : {});
      found.set(name, schemas);
    }
  }
  return found;
}

/** The keys that a schema declares at the top of payloads. */
export const topKeys = (schema: Schema): string[] => [
  ...propertiesOf(valueTypes(schema).partsOf([schema])).keys(),
];

/**
 * The names of Parquet's columns, each of which has everything below its key.
 * Use the field's name, else its key, else its pointer.
 */
export function topNames(keys: string[], columns: Column[]): Map<string, string> {
  const nameOf = createNames(columns.map(({ name }) => name));
  const byPointer = new Map(columns.map(({ name, pointer }) => [pointer, name]));
  return new Map(
    keys.map((key) => {
      const pointer = toPointer([key]);
      return [key, byPointer.get(pointer) ?? nameOf(pointer)];
    }),
  );
}
