import type { Choice, Field, RecordType, ScalarType, Type, Value } from '../schema/model.ts';
import type { SampleEntry } from './sample.ts';

/** How a language writes values in code. */
export interface Literals {
  /** A value of a union has the form of its own kind. */
  scalar(kind: ScalarType, value: unknown, format?: string): string;
  choice(choice: Choice, value: string): string;
  any(json: unknown): string;
  list(items: string[], of: Value): string;
  /** Samples have none with members. */
  emptyMap(of: Value): string;
  /** The members that the sample has, in the order of the fields. */
  record(record: RecordType, members: { field: Field; text: string }[]): string;
}

/** Writes a sample of a type in code. */
export function literalOf(literals: Literals, type: Type, sample: unknown): string {
  switch (type.kind) {
    case 'record':
      return literals.record(
        type.record,
        type.record.fields
          .filter(({ key }) => Object.hasOwn(sample as SampleEntry, key))
          .map((field) => ({
            field,
            text: literalOf(literals, field.value, (sample as SampleEntry)[field.key]),
          })),
      );
    case 'choice':
      return literals.choice(type.choice, sample as string);
    case 'list':
      return literals.list(
        (sample as unknown[]).map((item) => literalOf(literals, type.of, item)),
        type.of,
      );
    case 'map':
      return literals.emptyMap(type.of);
    case 'any':
      return literals.any(sample);
    case 'union':
      return literals.scalar(kindOf(sample), sample);
    case 'string':
      return literals.scalar(type.kind, sample, type.format);
    default:
      return literals.scalar(type.kind, sample);
  }
}

function kindOf(value: unknown): ScalarType {
  if (typeof value === 'bigint' || Number.isInteger(value)) return 'integer';
  return typeof value as ScalarType;
}
