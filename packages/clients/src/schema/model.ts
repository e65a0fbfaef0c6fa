/** What the five languages can say of a payload. A `sample` is JSON, perhaps with BigInts, that most likely conforms. `isLarge`: integers may be beyond 2^53. */
export type Type =
  | { kind: 'boolean' | 'number' | 'any'; sample: unknown }
  | { kind: 'integer'; isLarge: boolean; sample: unknown }
  | { kind: 'string'; format: TimeFormat | undefined; sample: unknown }
  /** Strings, in the order of the schema. */
  | { kind: 'choice'; choice: Choice }
  | { kind: 'list'; of: Value; sampleLength: number }
  | { kind: 'map'; of: Value }
  | { kind: 'record'; record: RecordType }
  /** Python and TypeScript know unions. */
  | { kind: 'union'; of: ScalarType[]; isLarge: boolean; sample: unknown };

/** What a string says, where a language has a type for it. */
export type TimeFormat = 'date-time' | 'date';

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
  /** Whether there are no members of other names. */
  isClosed: boolean;
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
