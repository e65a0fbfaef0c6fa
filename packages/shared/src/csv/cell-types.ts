import { fromPointer } from '../payloads/leaves.ts';
import { countedIn } from '../schemas/counted.ts';
import { isObject } from '../schemas/is-object.ts';

type Schema = Record<string, unknown>;
export type CellType = 'null' | 'boolean' | 'number' | 'string' | 'array' | 'object';
export type CellTypes = ReadonlySet<CellType>;

/** What a schema says of one place in a payload. */
export interface Place {
  /** The types that it does not rule out. */
  types: CellTypes;
  /** The object around it must have it. */
  isRequired: boolean;
}

const all: CellType[] = ['null', 'boolean', 'number', 'string', 'array', 'object'];
/** Steps through the schema for one place: references can name the same part over and over. */
const maxSteps = 1_000;

/** Looks places up in a JSON Schema. Where it is hard to say what is allowed there, everything is. */
export function createPlaces(root: Schema): (pointer: string) => Place {
  const counted = countedIn(root);
  let steps = 0;

  function resolve(reference: unknown): Schema[] {
    if (typeof reference !== 'string' || !reference.startsWith('#')) return [];
    let found: unknown = root;
    for (const key of keysOf(reference)) {
      if ((!isObject(found) && !Array.isArray(found)) || !Object.hasOwn(found, key)) return [];
      found = (found as Schema)[key];
    }
    return isObject(found) ? [found] : [];
  }

  /** All schemas that apply where this one does, each with what counts of it. */
  function applying(schema: Schema): Schema[] {
    const node = counted(schema);
    steps += 1;
    if (steps > maxSteps) return [];
    const more = [...resolve(node.$ref), ...(Array.isArray(node.allOf) ? node.allOf.filter(isObject) : [])];
    return [node, ...more.flatMap(applying)];
  }

  function typesOf(node: unknown): CellType[] {
    if (node === false) return [];
    if (!isObject(node)) return all;
    return common(applying(node).flatMap(listsOf));
  }

  /** Of each keyword the types that it lets through. */
  function listsOf({ type, enum: values, const: value, anyOf, oneOf, ...rest }: Schema): CellType[][] {
    const lists: CellType[][] = [];
    if (typeof type === 'string' || Array.isArray(type)) lists.push([type].flat().map(toCellType));
    if (Array.isArray(values)) lists.push(values.map(typeOf));
    if (value !== undefined || 'const' in rest) lists.push([typeOf(value)]);
    for (const branches of [anyOf, oneOf]) if (Array.isArray(branches)) lists.push(branches.flatMap(typesOf));
    return lists;
  }

  function below(nodes: Schema[], key: string): Schema[] {
    return nodes.flatMap(({ properties, additionalProperties }) => {
      const isNamed = isObject(properties) && Object.hasOwn(properties, key);
      const found = isNamed ? properties[key] : additionalProperties;
      return isObject(found) ? applying(found) : [];
    });
  }

  return (pointer) => {
    steps = 0;
    let nodes = applying(root);
    let isRequired = true;
    for (const key of fromPointer(pointer)) {
      isRequired = nodes.some(({ required }) => Array.isArray(required) && required.includes(key));
      nodes = below(nodes, key);
    }
    return { types: new Set(common(nodes.flatMap(listsOf))), isRequired };
  };
}

const common = (lists: CellType[][]) => all.filter((type) => lists.every((list) => list.includes(type)));
const toCellType = (type: unknown) => (type === 'integer' ? 'number' : type) as CellType;

function typeOf(value: unknown): CellType {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : (typeof value as CellType);
}

function keysOf(reference: string): string[] {
  try {
    return fromPointer(decodeURIComponent(reference.slice(1)));
  } catch {
    return [];
  }
}
