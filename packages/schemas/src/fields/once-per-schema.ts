import type { Schema } from '../parse-schema.ts';

/** A function of a schema that is worked out once for each: references can lead to the same one over and over. */
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
