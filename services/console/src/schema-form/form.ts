import type { Schemas } from '../api/client.ts';
import type { FormMember, FormShape, Path } from './shape.ts';

/** What the stored entries hold in a field. */
export interface FieldFact {
  /** Share of the entries that have a value. */
  filled: number;
  example: string | undefined;
}

/** What a draft changes for uploads at a place of payloads. */
export type FieldChange = Pick<Schemas['SchemaChange'], 'path' | 'kind'>;

export interface OpenField {
  /** JSON Pointer in the schema. */
  id: string;
  isNew: boolean;
}

/** What all parts of the form need. */
export interface Form {
  /** The text whose tree is shown. */
  text: string;
  isReadOnly: boolean;
  /** `place`: where is typed. What is typed there without a pause is undone at once. */
  edit: (change: (text: string) => string, place?: string) => void;
  /** Shows a place in the JSON. */
  show: (path: Path) => void;
  /** By JSON Pointer. */
  facts: ReadonlyMap<string, FieldFact>;
  changes: FieldChange[];
  /** The field whose inputs are shown. */
  open: OpenField | undefined;
  setOpen: (open: OpenField | undefined) => void;
  /** Whether the fields below a field are hidden, where the user has chosen. */
  folds: Record<string, boolean>;
  fold: (id: string, isFolded: boolean) => void;
}

export interface PartProps {
  form: Form;
  path: Path;
  shape: FormShape;
  /** JSON Pointer of the part, for labels. */
  pointer: string;
}

export interface MemberProps {
  form: Form;
  /** Of the object schema around the field. */
  path: Path;
  /** Of the object. */
  pointer: string;
  member: FormMember;
  parent: FormShape;
}
