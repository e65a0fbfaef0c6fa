import { fromPointer } from '@sluice/json/pointer.ts';
import type { ErrorObject } from 'ajv';
import { findDuplicate } from '../equality.ts';
import { numberCheck } from '../judge/scalar-checks.ts';
import type { Schema } from '../schema.ts';

/**
 * What is true of an error of Ajv, which knows numbers as doubles: none, or more than one.
 * `payload` and `schema` have BigInts.
 */
export function correct(error: ErrorObject, payload: unknown, schema: Schema): ErrorObject[] {
  const { keyword, params } = error;
  const [parent, own] = atKeyword(schema, error);
  const value = at(payload, error.instancePath);
  switch (keyword) {
    case 'enum':
      return [{ ...error, params: { allowedValues: own ?? params.allowedValues } }];
    case 'const':
      return [{ ...error, params: { allowedValue: own ?? params.allowedValue } }];
    case 'uniqueItems': {
      const pair = findDuplicate(value as unknown[]);
      return pair ? [told(error, `must not have equal items (${pair.i} and ${pair.j} are)`)] : [];
    }
    case 'unevaluatedItems':
      return (value as unknown[])
        .slice(params.limit)
        .map((_item, i) => told(error, `must not have the item ${params.limit + i}`));
    default:
  }
  if ((typeof value === 'number' || typeof value === 'bigint') && parent) {
    if (numberCheck(keyword, own, parent)?.(value, undefined)) return [];
    if (typeof own === 'bigint')
      return [told(error, error.message?.replace(String(Number(own)), String(own)) ?? '')];
  }
  return [error];
}

const told = (error: ErrorObject, message: string): ErrorObject => ({ ...error, message });

/** The schema that has the keyword, and the keyword's value; undefined within a meta-schema. */
function atKeyword(schema: Schema, { schemaPath, keyword }: ErrorObject): [Schema | undefined, unknown] {
  const isOwn = schemaPath.startsWith('#/') && schemaPath.endsWith(`/${keyword}`);
  const parent = isOwn ? at(schema, decode(schemaPath.slice(1, -keyword.length - 1))) : undefined;
  return [parent as Schema | undefined, (parent as Schema | undefined)?.[keyword]];
}

/** Ajv writes a path in a schema as a URI's fragment. */
function decode(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}

function at(root: unknown, pointer: string): unknown {
  let value = root;
  for (const key of fromPointer(pointer)) value = (value as Schema | undefined)?.[key];
  return value;
}
