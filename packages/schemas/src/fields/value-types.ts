import { keywordsOf } from '../check/keywords.ts';
import { draftOf, idKeyword } from '../draft.ts';
import type { Schema } from '../schema.ts';
import { followReference, isObject } from '../schema.ts';
import { everyType, ownTypes, types, unionOf } from '../types.ts';
import { countedIn, oncePerSchema } from './schema-fields.ts';

/** Longer chains of references guarantee nothing. */
const maxSteps = 500;
/** Integers from here on, positive or negative, are beyond 64 bits. */
const beyondIntegers = 2 ** 63;

const listIn = (list: unknown): unknown[] => (Array.isArray(list) ? list : []);

/** The types that a JSON Schema guarantees by `type`, `enum`, `const`, `$ref`, `allOf`, `anyOf` and `oneOf`. */
export function valueTypes(root: Schema) {
  const draft = draftOf(root.$schema) ?? '2020-12';
  // In a part with its own identifier, `#` means that part.
  const hasOneBase = !Object.values(root).some((value) => hasIdentifier(value, idKeyword(draft)));
  const knowsConst = keywordsOf(draft).has('const');
  const counted = countedIn(root);
  const known = new Map<Schema, number>();

  const conjuncts = ({ $ref, allOf }: Schema) => [
    ...(hasOneBase ? [followReference(root, $ref)].filter(isObject) : []),
    ...listIn(allOf),
  ];
  const alternatives = ({ anyOf, oneOf }: Schema): unknown[][] => [anyOf, oneOf].filter(Array.isArray);

  const listedValues = (schema: Schema): unknown[][] => [
    ...(Array.isArray(schema.enum) ? [schema.enum] : []),
    ...(knowsConst && Object.hasOwn(schema, 'const') ? [[schema.const]] : []),
  ];

  function typesOf(given: unknown, step = 0): number {
    if (given === false) return 0;
    if (!isObject(given)) return everyType;
    const schema = counted(given);
    const found = known.get(schema);
    if (found !== undefined) return found;
    if (step > maxSteps) return everyType;
    // The schema may lead back to itself.
    known.set(schema, everyType);
    const inner = (part: unknown) => typesOf(part, step + 1);
    let set = ownTypes(schema.type);
    for (const values of listedValues(schema)) set &= unionOf(values, typeOf);
    for (const part of conjuncts(schema)) set &= inner(part);
    for (const list of alternatives(schema)) set &= unionOf(list, inner);
    known.set(schema, set);
    return set;
  }

  /** The other schemas that apply where `schema` does, to values that are not null. */
  const alsoApplying = oncePerSchema((schema) => {
    const onlyOnes = alternatives(schema)
      .map((list) => list.filter((part) => (typesOf(part) & ~types.null) !== 0))
      .filter(({ length }) => length === 1);
    return [...conjuncts(schema), ...onlyOnes.flat()].filter(isObject);
  });

  /** All schemas that apply to a value that is not null, as `countedIn` returns them. */
  function partsOf(schemas: Schema[]): Set<Schema> {
    const parts = new Set(schemas.map(counted));
    // The loop also visits schemas that it adds.
    for (const part of parts) for (const other of alsoApplying(part)) parts.add(counted(other));
    return parts;
  }

  return { typesOf, partsOf, listedValues };
}

function typeOf(value: unknown): number {
  if (value === null) return types.null;
  if (Array.isArray(value)) return types.array;
  if (typeof value === 'bigint') return types.integer;
  if (typeof value !== 'number') return ownTypes(typeof value);
  const isHeld = Number.isInteger(value) && value >= -beyondIntegers && value < beyondIntegers;
  return isHeld ? types.integer : types.fraction;
}

/** Whether any part has an identifier. An identifier that begins with # is an anchor. */
function hasIdentifier(value: unknown, keyword: string): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const identifier = (value as Schema)[keyword];
  if (typeof identifier === 'string' && !identifier.startsWith('#')) return true;
  return Object.values(value).some((member) => hasIdentifier(member, keyword));
}
