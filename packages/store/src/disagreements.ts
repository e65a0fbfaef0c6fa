import type { Db } from 'mongodb';
import { operationsName } from './backup/block.ts';

export interface Disagreements {
  refused_by_judge: number;
  refused_by_ajv: number;
  /** The last one. */
  at: Date;
}

/** Counts payloads that only one of two validators refuses, of all processes, for `sluice-admin doctor`. */
export function disagreementStore(db: Db) {
  const notes = db.collection<Partial<Disagreements> & { _id: string }>(operationsName);
  const _id = 'disagreements';

  return {
    async note(way: 'refused_by_judge' | 'refused_by_ajv'): Promise<void> {
      await notes.updateOne({ _id }, { $inc: { [way]: 1 }, $currentDate: { at: true } }, { upsert: true });
    },

    /** Undefined if there was none. */
    async counts(): Promise<Disagreements | undefined> {
      const found = await notes.findOne({ _id });
      const { refused_by_judge = 0, refused_by_ajv = 0, at } = found ?? {};
      return at && { refused_by_judge, refused_by_ajv, at };
    },
  };
}
