import { draftOf, refStandsAlone } from '../draft.ts';
import type { Schema } from '../parse-schema.ts';

/** The part of a schema that counts: in drafts 04 to 07 `$ref` hides its siblings. Returns the same object each time. */
export function countedIn({ $schema }: Schema): (schema: Schema) => Schema {
  if (!refStandsAlone(draftOf($schema) ?? '2020-12')) return (schema) => schema;
  const alone = new Map<Schema, Schema>();
  return (schema) => {
    const { $ref } = schema;
    if (typeof $ref !== 'string') return schema;
    const counted = alone.get(schema) ?? { $ref };
    alone.set(schema, counted);
    return counted;
  };
}
