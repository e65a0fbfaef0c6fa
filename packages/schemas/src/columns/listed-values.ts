import { keywordsOf } from '../check/keywords.ts';
import { draftOf } from '../draft.ts';

type Schema = Record<string, unknown>;

/** Gives the lists of values, by `enum` and `const`, that a schema within a root lets through. Draft 04 does not know `const`. */
export function listedValuesIn({ $schema }: Schema): (schema: Schema) => unknown[][] {
  const knowsConst = keywordsOf(draftOf($schema) ?? '2020-12').has('const');
  return (schema) => [
    ...(Array.isArray(schema.enum) ? [schema.enum] : []),
    ...(knowsConst && Object.hasOwn(schema, 'const') ? [[schema.const]] : []),
  ];
}
