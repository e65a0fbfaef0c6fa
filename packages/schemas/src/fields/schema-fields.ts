import { toPointer } from '@sluice/json/pointer.ts';
import { draftOf, refStandsAlone } from '../draft.ts';
import type { Schema } from '../schema.ts';
import { followReference, isObject } from '../schema.ts';

/** Columns of an export, without the column for the rest. */
export const maxColumns = 5_000;
/** References can lead to the same part very often. */
const maxSteps = 50_000;

/**
 * The fields that a JSON Schema declares, as JSON Pointers into a payload, in the order of the schema.
 *
 * It follows nested objects, local references and `allOf`. Only entries tell how deep a property that contains itself goes.
 */
export function schemaFields(schema: Schema): string[] {
  const counted = countedIn(schema);
  const fields = new Set<string>();
  let steps = 0;

  /** All schemas that apply at one place, each once: references can reach a schema in millions of ways. */
  function parts(start: Schema, above: Set<Schema>): Set<Schema> | 'recursive' {
    const found = new Set<Schema>();
    const chain = new Set<Schema>();
    return add(start) ? found : 'recursive';

    function add(given: Schema): boolean {
      const node = counted(given);
      if (above.has(node) || chain.has(node)) return false;
      if (found.has(node)) return true;
      steps += 1;
      if (steps > maxSteps) return true;
      found.add(node);
      chain.add(node);
      const next = [followReference(schema, node.$ref), ...(Array.isArray(node.allOf) ? node.allOf : [])];
      for (const candidate of next) if (isObject(candidate) && !add(candidate)) return false;
      chain.delete(node);
      return true;
    }
  }

  function walk(node: Schema, path: string[], above: Set<Schema>): void {
    const here = parts(node, above);
    if (here === 'recursive') return;
    const properties = [...here].flatMap((part) =>
      isObject(part.properties) ? Object.entries(part.properties) : [],
    );
    if (properties.length === 0) {
      if (path.length > 0) fields.add(toPointer(path));
      return;
    }
    const inside = new Set([...above, ...here]);
    steps += inside.size >> 4;
    for (const [name, property] of properties) {
      if (fields.size > maxColumns) return;
      walk(isObject(property) ? property : {}, [...path, name], inside);
    }
  }

  walk(schema, [], new Set());
  return [...fields];
}

/** The part of a schema that counts: in drafts 04 to 07 `$ref` hides its siblings. Returns the same object each time. */
export function countedIn({ $schema }: Schema): (schema: Schema) => Schema {
  if (!refStandsAlone(draftOf($schema) ?? '2020-12')) return (schema) => schema;
  return oncePerSchema((schema) => (typeof schema.$ref === 'string' ? { $ref: schema.$ref } : schema));
}

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
