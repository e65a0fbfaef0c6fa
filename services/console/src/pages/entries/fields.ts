import { isExactNumber } from '@sluice/json/numbers.ts';
import { fromPointer, toPointer } from '@sluice/json/pointer.ts';
import { valueTypes } from '@sluice/schemas/fields/value-types.ts';
import { isObject, type Schema } from '@sluice/schemas/schema.ts';
import { numbers, types } from '@sluice/schemas/types.ts';
import { columnsOf, propertiesOf } from '@sluice/tables/columns.ts';

/** `any`: the schema does not say. `nested`: arrays and objects, which filters do not look into. */
export type ValueKind = 'text' | 'choice' | 'date' | 'time' | 'number' | 'boolean' | 'nested' | 'any';

export interface ListedField {
  pointer: string;
  /** As in exports: `address.city`. */
  name: string;
  kind: ValueKind;
  /** The only values of a `choice`. */
  choices: string[];
}

const kinds: [ValueKind, number][] = [
  ['number', numbers],
  ['boolean', types.boolean],
  ['text', types.string],
  ['nested', types.object | types.array],
];

function kindOf(schemas: Schema[], { typesOf, partsOf, listedValues }: ReturnType<typeof valueTypes>) {
  const found = schemas.reduce((set, schema) => set & typesOf(schema), ~types.null);
  const [kind = 'any'] = kinds.find(([, set]) => found !== 0 && (found & ~set) === 0) ?? [];
  const parts = [...partsOf(schemas)];
  const listed = parts.flatMap(listedValues).find((values) => values.length > 0) ?? [];
  const choices = listed.filter((value) => typeof value === 'string');
  if (kind !== 'text') return { kind, choices: [] };
  if (choices.length > 0) return { kind: 'choice' as const, choices };
  const formats = parts.map(({ format }) => format);
  if (formats.includes('date')) return { kind: 'date' as const, choices };
  return { kind: formats.includes('date-time') ? ('time' as const) : kind, choices };
}

/** The fields of a schema in its order, and what it says of any other field. */
export function fieldsOf(schema: Schema) {
  const values = valueTypes(schema);
  const schemasAt = (pointer: string) =>
    fromPointer(pointer).reduce<Schema[]>(
      (parents, key) => propertiesOf(values.partsOf(parents)).get(key) ?? [],
      [schema],
    );
  const toField = ({ name, pointer = '' }: { name: string; pointer?: string }): ListedField => {
    const schemas = schemasAt(pointer);
    return {
      pointer,
      name,
      ...(schemas.length > 0 ? kindOf(schemas, values) : { kind: 'any', choices: [] }),
    };
  };
  const named = (pointers: string[]) =>
    columnsOf(schema, pointers)
      .filter(({ pointer }) => pointer)
      .map(toField);
  const declared = named([]);
  const known = new Map(declared.map((field) => [field.pointer, field]));
  function fieldAt(pointer: string): ListedField {
    const found = known.get(pointer) ?? named([pointer]).find((field) => field.pointer === pointer);
    known.set(pointer, found as ListedField);
    return found as ListedField;
  }
  return { declared, fieldAt };
}

export type Fields = ReturnType<typeof fieldsOf>;

/** The pointers of all leaves of payloads, in the order in which they appear. */
export function leavesOf(payloads: unknown[]): string[] {
  const found = new Set<string>();
  function walk(value: unknown, path: string[]): void {
    const members = isObject(value) && !isExactNumber(value) ? Object.entries(value) : [];
    if (members.length === 0 && path.length > 0) found.add(toPointer(path));
    for (const [key, member] of members) walk(member, [...path, key]);
  }
  for (const payload of payloads) walk(payload, []);
  return [...found];
}

/** The pointer of a field that was typed: as a pointer, or with dots. */
export const toFieldPointer = (typed: string): string =>
  typed.startsWith('/') ? typed : toPointer(typed.split('.'));
