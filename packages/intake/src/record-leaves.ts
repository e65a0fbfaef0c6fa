import { type LeafStore, maxLeafLength } from '@sluice/store/applications/leaves.ts';
import type { Intake } from './intake.ts';

export type RecordLeaves = ReturnType<typeof createRecordLeaves>;

/** A leaf is on record before the first entry that has it, so an export knows its columns beforehand. */
export function createRecordLeaves(leaves: LeafStore) {
  const worthIt = ({ recorded }: Intake, leaves: string[]) =>
    recorded.overflow ? leaves.filter(({ length }) => length <= maxLeafLength) : leaves;

  return {
    /** Those of a payload that are not on record, as far as they are to be. */
    find(application: Intake, payload: Record<string, unknown>): string[] {
      return application.recorded.closed ? [] : worthIt(application, application.leaves.unknown(payload));
    },

    /** The same of leaves that the schema does not have. */
    notOnRecord(application: Intake, leaves: string[]): string[] {
      if (application.recorded.closed) return [];
      return worthIt(
        application,
        leaves.filter((leaf) => !application.leaves.has(leaf)),
      );
    },

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
