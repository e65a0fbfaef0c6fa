import { type LeafStore, maxLeafLength } from '@sluice/store/applications/leaves.ts';
import type { Intake } from './intake.ts';

export type RecordLeaves = ReturnType<typeof createRecordLeaves>;

/** A leaf is on record before the first entry that has it, so an export knows its columns beforehand. */
export function createRecordLeaves(leaves: LeafStore) {
  /** Those of leaves that are not on record, as far as they are to be. */
  const notOnRecord = ({ recorded, leaves }: Intake, found: string[]): string[] =>
    recorded.closed
      ? []
      : found.filter((leaf) => !leaves.has(leaf) && !(recorded.overflow && leaf.length > maxLeafLength));

  return {
    notOnRecord,

    /** The same of a payload. */
    find: (application: Intake, payload: Record<string, unknown>): string[] =>
      application.recorded.closed ? [] : notOnRecord(application, application.leaves.unknown(payload)),

    /** Undefined when there is nothing to record, which is nearly always. */
    record(application: Intake, found: Set<string>): Promise<void> | undefined {
      if (found.size === 0) return undefined;
      return leaves.add(application.id, [...found]).then((recorded) => {
        application.recorded = recorded;
        if (recorded.closed) return;
        application.leaves.add([...found].filter(({ length }) => length <= maxLeafLength));
      });
    },
  };
}
