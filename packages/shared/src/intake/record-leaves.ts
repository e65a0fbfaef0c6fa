import { type LeafStore, maxLeafLength, maxLeaves } from '../store/leaves.ts';
import type { Intake } from './intake.ts';

export type RecordLeaves = ReturnType<typeof createRecordLeaves>;

/** A leaf is on record before the first entry that has it, so an export knows its columns beforehand. */
export function createRecordLeaves(leaves: LeafStore) {
  const isFull = ({ leafOverflow, leaves: known }: Intake) => leafOverflow && known.size() >= maxLeaves;

  return {
    /** Adds those of a payload that are not on record to `found`. */
    find(application: Intake, payload: Record<string, unknown>, found: Set<string>): void {
      if (isFull(application)) return;
      for (const leaf of application.leaves.unknown(payload))
        if (!application.leafOverflow || leaf.length <= maxLeafLength) found.add(leaf);
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
