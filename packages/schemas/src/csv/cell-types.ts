import { countedIn } from '../columns/counted.ts';
import { listedValuesIn } from '../columns/listed-values.ts';
import { oncePerSchema } from '../columns/once-per-schema.ts';
import { isObject } from '../is-object.ts';
import { followReference } from '../pointer.ts';

export type Schema = Record<string, unknown>;
export type CellType = 'null' | 'boolean' | 'number' | 'string' | 'array' | 'object';
export type CellTypes = ReadonlySet<CellType>;

export const everyType: CellTypes = new Set<CellType>([
  'null',
  'boolean',
  'number',
  'string',
  'array',
  'object',
]);
const noType: CellTypes = new Set<CellType>();
/** References can make a chain as long as the schema: what lies further along it rules nothing out. */
const maxChain = 1_000;

/** What the parts of a JSON Schema let through, by `type`, `enum`, `const`, `$ref`, `allOf`, `anyOf` and `oneOf`. Each is looked at once. */
export function cellTypes(root: Schema) {
  const counted = countedIn(root);
  const listedValues = listedValuesIn(root);
  const known = new Map<Schema, CellTypes>();

  /** What else applies where a schema does. */
  const conjuncts = oncePerSchema(({ $ref, allOf }) =>
    [followReference(root, $ref), ...listIn(allOf)].filter(isObject),
  );

  function typesOf(given: unknown, step = 0): CellTypes {
    if (given === false) return noType;
    if (!isObject(given)) return everyType;
    const schema = counted(given);
    const found = known.get(schema);
    if (found) return found;
    if (step > maxChain) return everyType;
    // For a schema that leads back to itself.
    known.set(schema, everyType);
    let types = ownTypes(schema.type);
    for (const values of listedValues(schema)) types = types.intersection(new Set(values.map(typeOf)));
    for (const part of conjuncts(schema)) types = types.intersection(typesOf(part, step + 1));
    for (const list of [schema.anyOf, schema.oneOf].filter(Array.isArray))
      types = types.intersection(
        list.reduce((union: CellTypes, part) => union.union(typesOf(part, step + 1)), noType),
      );
    known.set(schema, types);
    return types;
  }

  /** All schemas that apply where one of these does, each with what counts of it. */
  function partsOf(schemas: Schema[]): Set<Schema> {
    const parts = new Set(schemas.map(counted));
    // The loop comes to what is added meanwhile, too.
    for (const part of parts) for (const conjunct of conjuncts(part)) parts.add(counted(conjunct));
    return parts;
  }

  return { typesOf, partsOf };
}

const listIn = (list: unknown): unknown[] => (Array.isArray(list) ? list : []);

function ownTypes(type: unknown): CellTypes {
  if (typeof type !== 'string' && !Array.isArray(type)) return everyType;
  return everyType.intersection(new Set([type].flat().map(toCellType)));
}

const toCellType = (type: unknown) => (type === 'integer' ? 'number' : type) as CellType;

function typeOf(value: unknown): CellType {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : (typeof value as CellType);
}
