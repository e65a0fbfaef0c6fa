import { fromPointer } from '@sluice/json/pointer.ts';
import { schemaFields } from '@sluice/schemas/fields/schema-fields.ts';
import type { Schema } from '@sluice/schemas/schema.ts';
import type { CsvLayout } from '@sluice/tables/csv/header.ts';

/** A column of a CSV. */
export interface MappedColumn {
  /** As the header has it. */
  name: string;
  /** The field that the name means; null: none. */
  own: string | null;
  /** The field that it is stored as; null: it is left out. */
  pointer: string | null;
}

/** Fields that were chosen, by the names of columns; null: left out. */
export type Chosen = Readonly<Record<string, string | null>>;

const plain = (name: string) => name.toLowerCase().replace(/[\s_-]/g, '');

/** A field as a header names it. */
export function labelOf(pointer: string): string {
  const keys = fromPointer(pointer);
  return keys.some((key) => key.includes('.') || key === '') ? pointer : keys.join('.');
}

/** Whether the schema declares a field, a field below it, or an object around it whose members are open. */
export function knownIn(schema: Schema): (pointer: string) => boolean {
  const fields = schemaFields(schema);
  const isWithin = (inner: string, outer: string) => inner === outer || inner.startsWith(`${outer}/`);
  return (pointer) => fields.some((field) => isWithin(field, pointer) || isWithin(pointer, field));
}

/** The fields of columns: chosen ones, else those of their names, else the one that has the name but for case, spaces, `_` and `-`. */
export function toColumns({ names, columns }: CsvLayout, schema: Schema, chosen: Chosen): MappedColumn[] {
  const isKnown = knownIn(schema);
  const free = schemaFields(schema).filter((field) => !columns.includes(field));
  const wished = new Map<string, number>();
  for (const name of names) wished.set(plain(name), (wished.get(plain(name)) ?? 0) + 1);

  function alike(name: string): string | undefined {
    const [first, second] = free.filter((field) => plain(labelOf(field)) === plain(name));
    return second === undefined && wished.get(plain(name)) === 1 ? first : undefined;
  }

  return names.map((name, at) => {
    const own = columns[at] ?? null;
    const meant = own === null || isKnown(own) ? own : (alike(name) ?? own);
    return { name, own, pointer: Object.hasOwn(chosen, name) ? (chosen[name] ?? null) : meant };
  });
}

/** The parameter `columns` of an import; undefined where each column is what its name means. */
export function toParameter(columns: MappedColumn[]): string | undefined {
  const changed = columns.filter(({ own, pointer }) => own !== pointer);
  if (changed.length === 0) return undefined;
  return JSON.stringify(Object.fromEntries(changed.map(({ name, pointer }) => [name, pointer])));
}
