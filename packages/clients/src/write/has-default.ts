import type { Field, RecordType } from '../schema/model.ts';

/** Whether a record can be made without values. No value of a choice goes without saying. */
export function hasDefault(record: RecordType, within: RecordType[] = []): boolean {
  const inner = [...within, record];
  return record.fields.every(
    ({ isRequired, value }: Field) =>
      !isRequired ||
      value.isNullable ||
      (value.kind !== 'choice' &&
        (value.kind !== 'record' || (!inner.includes(value.record) && hasDefault(value.record, inner)))),
  );
}
