import { draftOf, refStandsAlone } from '../draft.ts';
import type { Schema } from '../parse-schema.ts';

/**
 * Gives what counts of a schema within a root: of one that has a reference that alone, where the root's draft says so. It is the same
 * object each time.
 */
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
