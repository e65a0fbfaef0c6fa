import { type FieldStore, maxFieldLength } from '@sluice/store/applications/fields.ts';
import type { Intake } from './intake.ts';

export type RecordFields = ReturnType<typeof createRecordFields>;

/** A field is on record before the first entry that has it, so an export knows its columns beforehand. */
export function createRecordFields(fields: FieldStore) {
  /** Those of fields that are not on record, as far as they are to be. */
  const notOnRecord = ({ recorded, fields }: Intake, found: string[]): string[] =>
    recorded.closed
      ? []
      : found.filter((field) => !fields.has(field) && !(recorded.overflow && field.length > maxFieldLength));

  return {
    notOnRecord,

    /** The same of a payload. */
    find: (application: Intake, payload: Record<string, unknown>): string[] =>
      application.recorded.closed ? [] : notOnRecord(application, application.fields.unknown(payload)),

    /** Undefined when there is nothing to record, which is nearly always. */
    record(application: Intake, found: Set<string>): Promise<void> | undefined {
      if (found.size === 0) return undefined;
      return fields.add(application.id, [...found]).then((recorded) => {
        application.recorded = recorded;
        if (recorded.closed) return;
        application.fields.add([...found].filter(({ length }) => length <= maxFieldLength));
      });
    },
  };
}
