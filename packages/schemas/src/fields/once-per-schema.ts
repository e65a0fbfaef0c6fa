import type { Schema } from '../parse-schema.ts';

/** Keeps the result for each schema, as references can reach a schema very often. */
export function oncePerSchema<Value>(make: (schema: Schema) => Value): (schema: Schema) => Value {
  const known = new Map<Schema, Value>();
  return (schema) => {
    const found = known.get(schema);
    if (found !== undefined) return found;
    const made = make(schema);
    known.set(schema, made);
    return made;
  };
}
