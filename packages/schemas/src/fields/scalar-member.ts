import { fromPointer } from '@sluice/json/pointer.ts';
import { isObject, type Schema } from '../schema.ts';
import { everyType, types } from '../types.ts';
import { valueTypes } from './value-types.ts';

const scalar = types.string | types.integer | types.fraction | types.boolean;
const isAmong = (set: number, wanted: number) => set !== 0 && (set & ~wanted) === 0;

/** Why a schema does not guarantee that each payload has a text, a number or a boolean at a JSON Pointer; undefined if it does. */
export function faultOfScalarMember(schema: Schema, path: string): string | undefined {
  const { typesOf, partsOf } = valueTypes(schema);
  const keys = fromPointer(path);
  if (keys.length === 0) return 'the path of a member is needed, such as /event_id';
  // A payload is an object in any case.
  let parts = partsOf([schema]);
  let set: number = types.object;
  let here = '';
  for (const key of keys) {
    if (!isAmong(set, types.object)) return `${here} is not always an object by the schema`;
    here += path.slice(here.length).match(/^\/[^/]*/)?.[0] ?? '';
    const all = [...parts];
    const found = all.flatMap(({ properties }) =>
      isObject(properties) && Object.hasOwn(properties, key) ? [properties[key]] : [],
    );
    if (found.length === 0) return `${here} is not among the properties of the schema`;
    if (!all.some(({ required }) => Array.isArray(required) && required.includes(key)))
      return `${here} is not required by the schema: add it to "required"`;
    set = found.reduce((both: number, part) => both & typesOf(part), everyType);
    parts = partsOf(found.filter(isObject));
  }
  if (isAmong(set, scalar)) return undefined;
  return `${here} is not always a string, a number or a boolean by the schema: give it such a "type"`;
}
