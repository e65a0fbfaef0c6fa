/** What the five languages can say of a payload. A `sample` is JSON, perhaps with BigInts, that most likely conforms. */
export type Type =
  | { kind: ScalarType | 'any'; sample: unknown }
  /** Strings, in the order of the schema. */
  | { kind: 'choice'; choice: Choice }
  | { kind: 'list'; of: Value; sampleLength: number }
  | { kind: 'map'; of: Value }
  | { kind: 'record'; record: RecordType }
  /** Python and TypeScript know unions. */
  | { kind: 'union'; of: ScalarType[]; sample: unknown };

export type ScalarType = 'string' | 'integer' | 'number' | 'boolean';

/** `isNullable`: null is a value, and differs from a field that is absent. */
export type Value = Type & { isNullable: boolean };

export interface Choice {
  /** What the type may be called. */
  hint: string;
  values: string[];
}

export interface RecordType {
  hint: string;
  description: string | undefined;
  fields: Field[];
  /** Whether members of other names may have any values. */
  isOpen: boolean;
}

export interface Field {
  key: string;
  value: Value;
  isRequired: boolean;
  description: string | undefined;
}

export interface Model {
  entry: RecordType;
  /** `entry` is the first. */
  records: RecordType[];
  choices: Choice[];
  /** What the types do not say. */
  notes: string[];
}
