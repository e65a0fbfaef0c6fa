import { fromPointer, toPointer } from '@sluice/json/pointer.ts';
import { maxColumns, schemaFields } from '@sluice/schemas/fields/schema-fields.ts';
import { valueTypes } from '@sluice/schemas/fields/value-types.ts';
import { isObject, type Schema } from '@sluice/schemas/schema.ts';

/** The time of the entry is a column too. */
const maxFieldColumns = maxColumns - 1;

/** The members of an entry that say how it came, and who sent it. */
export const senderMeta = ['source', 'key', 'by'] as const;
export type SenderMeta = (typeof senderMeta)[number];

export const metaNames = ['id', 'schema_version', ...senderMeta] as const;
export type Meta = (typeof metaNames)[number];

export interface Column {
  /** Unique among the columns of an application. */
  name: string;
  /** JSON Pointer of the field in the payload; absent for `createdAt`, `meta`, the rest and the payload. */
  pointer?: string;
  /** A property of the entry, other than time and payload. */
  meta?: Meta;
  /** True for the column with an object of all other fields. */
  isRest?: true;
  /** True for the column with the whole payload. */
  isPayload?: true;
  /** True if the field's arrays stay JSON text, as their elements would take too many columns. */
  isWhole?: true;
}

const createdAt: Column = { name: 'createdAt' };

/**
 * The columns of an application's exports: time, `meta`, fields of the first version of its schema, recorded fields.
 * With `hasRest`, one more column has all other fields; with `hasPayload`, one the whole payload. `inLake`: for archives.
 */
export function columnsOf(
  schema: Record<string, unknown>,
  recorded: string[],
  {
    hasRest = false,
    hasPayload = false,
    meta = [],
    inLake = false,
  }: {
    hasRest?: boolean | undefined;
    hasPayload?: boolean | undefined;
    meta?: Meta[] | undefined;
    inLake?: boolean | undefined;
  } = {},
): Column[] {
  const ofEntry: Column[] = [createdAt, ...meta.map((name) => ({ name, meta: name }))];
  if (hasPayload) ofEntry.push({ name: 'payload', isPayload: true });
  const reserved = [...ofEntry.map(({ name }) => name), ...(inLake ? ['date'] : [])];
  const declared = schemaFields(schema);
  const pointers = new Set([...(hasRest ? declared.slice(0, maxFieldColumns) : declared), ...recorded]);
  const columns = [
    ...ofEntry,
    ...Array.from(pointers, (pointer) => ({ name: fieldName(pointer, reserved, inLake), pointer })),
  ];
  return hasRest ? [...columns, { name: restName(columns.map(({ name }) => name)), isRest: true }] : columns;
}

/**
 * How many recorded fields become columns after those of the schema, and whether the rest shares one column.
 *
 * Uploaders can add any number of fields; exports must still work.
 */
export function widthOf(
  schema: Record<string, unknown>,
  { pointers, overflow }: { pointers: string[]; overflow: boolean },
): { leafCount: number; hasRest: boolean } {
  const columns = new Set(schemaFields(schema));
  const first = pointers.findIndex((pointer) => columns.add(pointer).size > maxFieldColumns);
  const leafCount = first < 0 ? pointers.length : first;
  return { leafCount, hasRest: overflow || columns.size > maxFieldColumns };
}

/**
 * The name of a field, whatever other fields there are: its keys joined by dots, such as `address.city`.
 * If a key has a dot, or the name is `reserved`, empty or looks like something else, it is the JSON Pointer.
 */
export function fieldName(pointer: string, reserved: readonly string[], ignoreCase = false): string {
  const keys = fromPointer(pointer);
  const dotted = keys.join('.');
  const isClear = !keys.some((key) => key.includes('.')) && !/^(?:[/'\ufeff]|$)/.test(dotted);
  const inCase = (name: string) => (ignoreCase ? name.toLowerCase() : name);
  return isClear && !reserved.map(inCase).includes(inCase(dotted)) ? dotted : pointer;
}

/** The name of the column for all other fields. Some readers ignore the case of names. */
export function restName(others: Iterable<string>): string {
  const taken = new Set(Array.from(others, (name) => name.toLowerCase()));
  let name = '_extra';
  while (taken.has(name)) name += '_';
  return name;
}

/** The schemas of each property, in the order of their declaration. */
export function propertiesOf(parts: Set<Schema>): Map<string, Schema[]> {
  const found = new Map<string, Schema[]>();
  for (const { properties } of parts) {
    if (!isObject(properties)) continue;
    for (const [name, property] of Object.entries(properties)) {
      const schemas = found.get(name) ?? [];
      schemas.push(isObject(property) ? property : {});
      found.set(name, schemas);
    }
  }
  return found;
}

/** The keys that a schema declares at the top of payloads. */
export const topKeys = (schema: Schema): string[] => [
  ...propertiesOf(valueTypes(schema).partsOf([schema])).keys(),
];

/**
 * The names of Parquet's columns, each of which has everything below its key.
 * Use the field's name, else its key, else its pointer.
 */
export function topNames(keys: string[], columns: Column[]): Map<string, string> {
  const reserved = columns.flatMap(({ name, pointer }) => (pointer === undefined ? [name] : []));
  const byPointer = new Map(columns.map(({ name, pointer }) => [pointer, name]));
  return new Map(
    keys.map((key) => {
      const pointer = toPointer([key]);
      return [key, byPointer.get(pointer) ?? fieldName(pointer, reserved)];
    }),
  );
}
