import { countedIn } from '@sluice/schemas/columns/counted.ts';
import { listedValuesIn } from '@sluice/schemas/columns/listed-values.ts';
import { oncePerSchema } from '@sluice/schemas/columns/once-per-schema.ts';
import { draftOf, idKeyword } from '@sluice/schemas/draft.ts';
import { isObject } from '@sluice/schemas/is-object.ts';
import { followReference } from '@sluice/schemas/pointer.ts';

export type Schema = Record<string, unknown>;

/** The types of JSON as bits: a value of a place has one of those in its set. Fractions are numbers that are no integers. */
export const types = { null: 1, boolean: 2, integer: 4, fraction: 8, string: 16, object: 32, array: 64 };
const any = 127;
/** References can make a chain as long as the schema: what lies further along it guarantees nothing. */
const maxSteps = 500;
/** Integers from here on, up or down, are beyond 64 bits. */
const beyondIntegers = 2 ** 63;
const named: Record<string, number> = { ...types, number: types.integer | types.fraction };

const schemasIn = (list: unknown): Schema[] => (Array.isArray(list) ? list.filter(isObject) : []);

/** What the parts of a JSON Schema guarantee of the values where they apply, by `type`, `enum`, `const`, `$ref`, `allOf`, `anyOf` and `oneOf`. */
export function schemaTypes(root: Schema) {
  // Within a part that has an identifier of its own, `#` means that part.
  const identifier = idKeyword(draftOf(root.$schema) ?? '2020-12');
  const hasOneBase = !Object.values(root).some((value) => hasText(value, identifier));
  const counted = countedIn(root);
  const listedValues = listedValuesIn(root);
  const known = new Map<Schema, number>();

  function resolve(reference: unknown): Schema | undefined {
    const found = hasOneBase ? followReference(root, reference) : undefined;
    return isObject(found) ? found : undefined;
  }

  const conjuncts = (schema: Schema) => [resolve(schema.$ref), ...schemasIn(schema.allOf)].filter(isObject);

  /** The lists of alternatives in a schema; one that is true or false guarantees nothing, so its list is left out. */
  const alternatives = ({ anyOf, oneOf }: Schema) =>
    [anyOf, oneOf].filter((list): list is Schema[] => Array.isArray(list) && list.every(isObject));

  /** The set of types that values valid by a schema can have. */
  function typesOf(given: Schema, step = 0): number {
    const schema = counted(given);
    const found = known.get(schema);
    if (found !== undefined) return found;
    if (step > maxSteps) return any;
    // For a schema that leads back to itself.
    known.set(schema, any);
    let set = ownTypes(schema.type);
    for (const values of listedValues(schema)) set &= unionOf(values, typeOf);
    for (const part of conjuncts(schema)) set &= typesOf(part, step + 1);
    for (const list of alternatives(schema)) set &= unionOf(list, (part) => typesOf(part, step + 1));
    known.set(schema, set);
    return set;
  }

  /** What else applies to a value that is not null where a schema does. */
  const alsoApplying = oncePerSchema((schema) => {
    const onlyOnes = alternatives(schema)
      .map((list) => list.filter((part) => typesOf(part) !== types.null))
      .filter(({ length }) => length === 1);
    return [...conjuncts(schema), ...onlyOnes.flat()];
  });

  /** All schemas that apply to a value that is not null where one applies, each with what counts of it. */
  function collect(given: Schema, parts: Set<Schema>, step = 0): Set<Schema> {
    const schema = counted(given);
    if (parts.has(schema) || step > maxSteps) return parts;
    parts.add(schema);
    for (const part of alsoApplying(schema)) collect(part, parts, step + 1);
    return parts;
  }

  return { typesOf, collect };
}

function ownTypes(type: unknown): number {
  if (typeof type === 'string') return named[type] ?? any;
  if (!Array.isArray(type)) return any;
  return unionOf(type, (name) => named[name] ?? any);
}

function typeOf(value: unknown): number {
  if (value === null) return types.null;
  if (Array.isArray(value)) return types.array;
  if (typeof value === 'bigint') return types.integer;
  if (typeof value !== 'number') return named[typeof value] ?? any;
  const isHeld = Number.isInteger(value) && value >= -beyondIntegers && value < beyondIntegers;
  return isHeld ? types.integer : types.fraction;
}

function unionOf<Item>(items: Item[], setOf: (item: Item) => number): number {
  return items.reduce((union, item) => union | setOf(item), 0);
}

/** Whether a member of this name is text, at any depth. */
function hasText(value: unknown, name: string): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (typeof (value as Schema)[name] === 'string') return true;
  return Object.values(value).some((member) => hasText(member, name));
}
