import type { Field, RecordType, Value } from '../schema/model.ts';
import { createHoldsItself } from '../write/holds-itself.ts';
import { createTypeOf } from '../write/type-of.ts';

const hasNil = ({ kind }: Value) => ['list', 'map', 'any', 'union'].includes(kind);

/** Whether null needs a pointer. */
export const isPointer = (value: Value) => value.isNullable && !hasNil(value);

const typesIn = (packageName: string) =>
  createTypeOf({
    scalars: { string: 'string', integer: 'int64', number: 'float64', boolean: 'bool' },
    formats: { 'date-time': `${packageName}DateTime` },
    any: 'any',
    list: (of) => `[]${of}`,
    map: (of) => `map[string]${of}`,
    nullable: (type, value) => (isPointer(value) ? `*${type}` : type),
  });

export const inside = typesIn('');
export const outside = typesIn('uploader.');

/** Whether a field is a pointer: it may be absent or null, or its record lies in itself. */
export function createIsPointerField() {
  const holdsItself = createHoldsItself();
  return (record: RecordType, { value, isRequired }: Field): boolean =>
    !hasNil(value) &&
    (value.isNullable || !isRequired || (value.kind === 'record' && holdsItself(record, value.record)));
}
