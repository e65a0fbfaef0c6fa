import type { Schema } from '../parse-schema.ts';
import { isLocal } from './conjunction.ts';
import type { Tell } from './report.ts';
import type { SameSchema } from './same-schema.ts';

/** Keywords whose schemas are not compared with each other, with those that mean something only beside them. */
const opaque = [
  ['anyOf'],
  ['oneOf'],
  ['not'],
  ['if', 'then', 'else'],
  ['contains', 'minContains', 'maxContains'],
  ['propertyNames'],
  ['dependentRequired'],
  ['dependentSchemas'],
  ['dependencies'],
  ['$ref'],
];
/** What these refuse depends on all that stands beside them. */
const unevaluated = ['unevaluatedProperties', 'unevaluatedItems'];

/** Tells in which keywords schemas differ, where what that means for payloads cannot be told. All schemas of a list apply. */
export function compareOpaque(before: Schema[], after: Schema[], isSame: SameSchema, tell: Tell): void {
  for (const [keyword = '', ...beside] of opaque) {
    const was = picked(before, keyword, beside);
    const is = picked(after, keyword, beside);
    const gone = was.filter((schema) => !is.some((other) => isSame(schema, other)));
    const added = is.filter((schema) => !was.some((other) => isSame(other, schema)));
    if (gone.length > 0 && added.length > 0) tell('changed', `${keyword} is different`);
    else if (added.length > 0) tell('stricter', `${keyword} is new`);
    else if (gone.length > 0) tell('looser', `${keyword} is gone`);
  }
  for (const keyword of unevaluated) {
    if (![...before, ...after].some((part) => part[keyword] !== undefined)) continue;
    if (!isSame(before, after)) tell('changed', `what ${keyword} refuses may be different`);
  }
}

/** Without the keywords that are not asked for. */
function picked(parts: Schema[], keyword: string, beside: string[]): Schema[] {
  return parts
    .filter((part) => part[keyword] !== undefined && !(keyword === '$ref' && isLocal(part.$ref)))
    .map((part) =>
      Object.fromEntries([keyword, ...beside].flatMap((key) => (key in part ? [[key, part[key]]] : []))),
    );
}
