import { type LeafStore, maxLeafLength, maxLeaves } from '../store/leaves.ts';
import type { Intake } from './intake.ts';

export type RecordLeaves = ReturnType<typeof createRecordLeaves>;

/** A leaf is on record before the first entry that has it, so an export knows its columns beforehand. */
export function createRecordLeaves(leaves: LeafStore) {
  const isFull = ({ leafOverflow, leaves: known }: Intake) => leafOverflow && known.size() >= maxLeaves;

  const worthIt = ({ leafOverflow }: Intake, leaves: string[]) =>
    leafOverflow ? leaves.filter(({ length }) => length <= maxLeafLength) : leaves;

  return {
    /** Those of a payload that are not on record, as far as they are to be. */
    find(application: Intake, payload: Record<string, unknown>): string[] {
      return isFull(application) ? [] : worthIt(application, application.leaves.unknown(payload));
    },

    /** The same of leaves that the schema does not have. */
    notOnRecord(application: Intake, leaves: string[]): string[] {
      if (isFull(application)) return [];
      return worthIt(
        application,
        leaves.filter((leaf) => !application.leaves.has(leaf)),
      );
    },

    /** Undefined when there is nothing to record, which is nearly always. */
    record(application: Intake, found: Set<string>): Promise<void> | undefined {
      if (found.size === 0) return undefined;
      return leaves.add(application.id, [...found]).then(({ overflow }) => {
        application.leaves.add([...found].filter(({ length }) => length <= maxLeafLength));
        application.leafOverflow = overflow;
      });
    },
  };
}
