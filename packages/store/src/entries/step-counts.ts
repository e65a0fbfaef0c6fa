import type { Binary, ClientSession, Db } from 'mongodb';
import type { EntryDocument } from './entry-document.ts';
import { firstKeyAt, highestId, lowestId, timeOfKey, toKey } from './entry-id.ts';
import { byKey, type MilestoneDocument, milestonesIn } from './milestone-document.ts';
import { unpackMinutes } from './minute-counts.ts';

/** Steps of equal length, each of whole minutes: `from` in ms since the epoch, `length` in ms. */
export interface TimeSteps {
  from: number;
  length: number;
  count: number;
}

/** What lies beyond the last milestone is counted by key up to here, then step by step. */
const readAtMost = 5_000;

const ascending = { _id: 1 } as const;
const keyOnly = { _id: 1 } as const;
/** Milestones of 10,000,000 entries, read in one answer. */
const milestonesAtOnce = 5_000;

export function createTally({ from, length, count }: TimeSteps) {
  const counts: number[] = Array(count).fill(0);
  /** Which step it is; those before and after have numbers too. */
  const stepOf = (time: number) => Math.floor((time - from) / length);
  return {
    counts,
    stepOf,
    add(time: number, number = 1): void {
      const step = stepOf(time);
      if (step in counts) counts[step] = (counts[step] as number) + number;
    },
  };
}

/**
 * Counts the entries of an application by steps. Milestones know how many there are between them, and in which minutes; so
 * the entries themselves are read only beyond the last one.
 */
export function stepCounts(db: Db) {
  const milestones = db.collection<MilestoneDocument>('milestones');
  const entries = db.collection<EntryDocument>('entries');

  /** In the session of a snapshot; without one where nothing was ever deleted. */
  return async function countSteps(
    session: ClientSession | undefined,
    application: string,
    steps: TimeSteps,
  ): Promise<number[]> {
    const { counts, stepOf, add } = createTally(steps);
    const at = (step: number) => firstKeyAt(application, new Date(steps.from + step * steps.length));
    const [begin, end] = [at(0), at(steps.count)];

    /** Counts entries by their keys; returns the last one, if there may be more than `limit`. */
    async function countKeys(
      range: { $gt: Binary; $lte?: Binary },
      limit: number,
    ): Promise<Binary | undefined> {
      const options = { projection: keyOnly, sort: ascending, limit, batchSize: limit, session };
      const found = await entries.find({ _id: { ...range, $gte: begin, $lt: end } }, options).toArray();
      for (const { _id } of found) add(timeOfKey(_id));
      return found.length === limit ? found.at(-1)?._id : undefined;
    }

    async function countBeyond(above: Binary): Promise<void> {
      const last = await countKeys({ $gt: above }, readAtMost);
      if (!last) return;
      let from = { $gt: last } as object;
      for (let step = stepOf(timeOfKey(last)); step < steps.count; step++) {
        const next = at(step + 1);
        const found = await entries.countDocuments({ _id: { ...from, $lt: next } }, { session });
        counts[step] = (counts[step] as number) + found;
        from = { $gte: next };
      }
    }

    const lowest = toKey(application, lowestId);
    const before = await milestones.findOne(milestonesIn(application, { $gte: lowest, $lt: begin }), {
      sort: { _id: -1 },
      hint: byKey,
      session,
    });
    const [within, above] = await Promise.all([
      milestones
        .find(milestonesIn(application, { $gte: begin, $lt: end }), {
          sort: ascending,
          hint: byKey,
          batchSize: milestonesAtOnce,
          projection: { marks: 0 },
          session,
        })
        .toArray(),
      milestones.findOne(milestonesIn(application, { $gte: end, $lte: toKey(application, highestId) }), {
        sort: ascending,
        hint: byKey,
        session,
      }),
    ]);
    let [lower, rank] = [before?._id ?? lowest, before?.rank ?? 0];
    for (const { _id, ...milestone } of above ? [...within, above] : within) {
      const between = milestone.rank - rank - (milestone.removed ?? 0);
      if (stepOf(timeOfKey(lower)) === stepOf(timeOfKey(_id))) add(timeOfKey(_id), between);
      else if (milestone.minutes) for (const one of unpackMinutes(milestone.minutes.buffer)) add(...one);
      else await countKeys({ $gt: lower, $lte: _id }, between);
      [lower, rank] = [_id, milestone.rank];
    }
    if (!above) await countBeyond(lower);
    return counts;
  };
}
