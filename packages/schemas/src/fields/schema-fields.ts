import { toPointer } from '@sluice/json/pointer.ts';
import { isObject } from '../is-object.ts';
import type { Schema } from '../parse-schema.ts';
import { followReference } from '../pointer.ts';
import { countedIn } from './counted.ts';

/** Columns of one export, but for the one that has what is left. */
export const maxColumns = 5_000;
/** Steps through the schema: references can name the same part over and over. */
const maxSteps = 50_000;

/**
 * The field properties that a JSON Schema declares, as JSON Pointers into a payload, in the schema's order.
 * Nested objects are descended, through local references and `allOf` too. A property that contains itself is
 * left out: how deep it goes, only entries tell.
 */
export function schemaFields(schema: Schema): string[] {
  const counted = countedIn(schema);
  const fields = new Set<string>();
  let steps = 0;

  /** All schemas that apply at the same place, each once: references can lead to one in millions of ways. */
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
