import { type LeafStore, maxLeafLength, maxLeaves } from '../store/leaves.ts';
import type { Intake } from './intake.ts';

type Payload = Record<string, unknown>;

/** A leaf is on record before the first entry that has it, so an export knows its columns beforehand. */
export function createRecordLeaves(leaves: LeafStore) {
  function fresh(application: Intake, payload: Payload): string[] {
    const unknown = application.leaves.unknown(payload);
    return application.leafOverflow ? unknown.filter(({ length }) => length <= maxLeafLength) : unknown;
  }

  const isFull = ({ leafOverflow, leaves: known }: Intake) => leafOverflow && known.size() >= maxLeaves;

  /** Undefined when there is nothing to record, which is nearly always. */
  return function recordLeaves(application: Intake, payloads: Payload[]): Promise<void> | undefined {
    if (isFull(application)) return undefined;
    const found = new Set<string>();
    for (const payload of payloads) for (const leaf of fresh(application, payload)) found.add(leaf);
    if (found.size === 0) return undefined;
    return leaves.add(application.id, [...found]).then(({ overflow }) => {
      application.leaves.add([...found].filter(({ length }) => length <= maxLeafLength));
      application.leafOverflow = overflow;
    });
  };
}
