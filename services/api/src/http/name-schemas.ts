import { isDeepStrictEqual } from 'node:util';
import { type DescribedSchema, type Description, mapValues } from './describe.ts';

const isObject = (value: unknown): value is DescribedSchema => typeof value === 'object' && value !== null;

/** Uses of a schema may differ in these: a parameter or a response may have its own description. */
function shapeOf({ description: _, examples: __, ...shape }: DescribedSchema): DescribedSchema {
  return shape;
}

/** Moves each schema with a title to the components, where generators of clients find names of types. */
export function nameSchemas(description: Description): Description {
  const schemas: Record<string, DescribedSchema> = {};

  function refer(title: string, schema: DescribedSchema): object {
    const known = schemas[title] ?? {};
    if (schemas[title] && !isDeepStrictEqual(shapeOf(known), shapeOf(schema)))
      throw new Error(`two different schemas have the title ${title}`);
    schemas[title] = { ...schema, ...known };
    return { $ref: `#/components/schemas/${title}` };
  }

  /** Among several types the object gets the name, which generators would otherwise call `…Type0`. */
  function alternatives(title: string, { type, ...rest }: DescribedSchema): object {
    const object = { type: 'object', additionalProperties: true };
    const each = (one: string) => (one === 'object' ? refer(title, object) : { type: one });
    return { ...rest, anyOf: (type as string[]).map(each) };
  }

  function name(value: unknown, key = ''): unknown {
    if (key === 'example' || key === 'examples' || !isObject(value)) return value;
    if (Array.isArray(value)) return value.map((item) => name(item));
    const named = mapValues(value, name);
    const { title, ...rest } = named;
    if (Array.isArray(rest.type)) return alternatives(title as string, rest);
    return typeof title === 'string' ? refer(title, rest) : named;
  }

  const { paths, components, ...rest } = description;
  const named = { ...rest, paths: name(paths), components: name(components) } as Description;
  return { ...named, components: { ...named.components, schemas } };
}
