import type { Db } from 'mongodb';
import { hasMatched } from '../lease.ts';

export const servingName = 'serving';

interface ServingDocument {
  _id: 'api';
  servedMs: number;
  settledMs: number;
  /** MongoDB's time of the last tick. */
  at: Date;
  /** When a worker looked at the sources last. */
  lookedAt?: Date;
}

/** How long APIs have served, in ms. It stands still while none does, and when a clock is set. */
export interface Served {
  servedMs: number;
  /** Senders had time to come back once `servedMs` is here. */
  settledMs: number;
}

/** How often each API that serves ticks. */
export const tickEveryMs = 5_000;
/** Ticks that are further apart say nothing of the time between them. */
const unbrokenMs = 3 * tickEveryMs;
/** The same before the first tick of a process: it may be the only one. */
const firstMs = 1.2 * tickEveryMs;
/** What senders get to come back after nobody served. */
const settleMs = 120_000;

export type ServingStore = ReturnType<typeof servingStore>;

/** The clock by which silence is measured: an outage, a deployment or a clock that is set is no silence of a source. */
export function servingStore(db: Db) {
  const serving = db.collection<ServingDocument>(servingName);
  const _id = 'api';

  return {
    /** To be called every `tickEveryMs` by each API that serves. */
    async tick({ isFirst = false } = {}): Promise<void> {
      const passed = { $subtract: ['$$NOW', { $ifNull: ['$at', '$$NOW'] }] };
      const isUnbroken = {
        $and: [
          { $gt: ['$at', null] },
          { $gte: ['$passed', 0] },
          { $lte: ['$passed', isFirst ? firstMs : unbrokenMs] },
        ],
      };
      const served = { $ifNull: ['$servedMs', 0] };
      await serving.updateOne(
        { _id },
        [
          { $set: { passed } },
          {
            $set: {
              servedMs: { $cond: [isUnbroken, { $add: [served, '$passed'] }, served] },
              settledMs: { $cond: [isUnbroken, '$settledMs', { $add: [served, settleMs] }] },
              at: '$$NOW',
            },
          },
          { $unset: 'passed' },
        ],
        { upsert: true },
      );
    },

    /** Whether it is this worker's turn to look at the sources: one does every `everyMs`. */
    async takeTurn(everyMs: number): Promise<boolean> {
      const passed = { $subtract: ['$$NOW', '$lookedAt'] };
      const isOver = { $or: [{ $lt: [passed, 0] }, { $gte: [passed, everyMs] }] };
      const isDue = { $or: [{ $not: { $gt: ['$lookedAt', null] } }, isOver] };
      const taking = [{ $set: { lookedAt: '$$NOW' } }];
      return hasMatched(serving.updateOne({ _id, $expr: isDue }, taking));
    },

    /** Undefined while no API has ever served. */
    async read(): Promise<Served | undefined> {
      const found = await serving.findOne({ _id });
      return found ? { servedMs: Number(found.servedMs), settledMs: Number(found.settledMs) } : undefined;
    },
  };
}
