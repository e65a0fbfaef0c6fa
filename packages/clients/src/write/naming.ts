import { createNames, pascal } from '../names.ts';
import type { Choice, Field, Model, RecordType } from '../schema/model.ts';

export interface Habits {
  /** In Pascal case by default. */
  type?(text: string, word: string): string;
  field(text: string, word: string): string;
  /** Words that cannot be names of fields or types. */
  keywords: string[];
  /** Words that cannot be names of types. */
  reserved?: string[];
}

export type Naming = ReturnType<typeof nameAll>;

/** Names for all types and fields. `taken` are the identifiers of the uploader. */
export function nameAll({ records, choices }: Model, habits: Habits, taken: Iterable<string>) {
  const types = createNames([...taken, ...habits.keywords, ...(habits.reserved ?? [])]);
  types.take('Entry');
  const names = new Map<RecordType | Choice, string>();
  const ofFields = new Map<Field, string>();
  const ofRest = new Map<RecordType, string>();
  for (const type of [...records, ...choices]) {
    const name = (habits.type ?? pascal)(type.hint, 'type');
    names.set(type, type === records[0] ? 'Entry' : types.take(name, `Entry${name}`));
  }
  for (const record of records) {
    const own = createNames(habits.keywords);
    for (const field of record.fields) {
      const name = habits.field(field.key, 'field');
      ofFields.set(field, own.take(name, habits.keywords.includes(name) ? `${name}_` : name));
    }
    ofRest.set(record, own.take(habits.field('additional properties', '')));
  }
  return {
    type: (type: RecordType | Choice) => names.get(type) as string,
    field: (field: Field) => ofFields.get(field) as string,
    /** The field for members of other names. */
    rest: (record: RecordType) => ofRest.get(record) as string,
    /** Another name for the whole file. */
    take: types.take,
  };
}
