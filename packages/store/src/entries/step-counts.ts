import type { Binary, ClientSession, Db } from 'mongodb';
import type { EntryDocument } from './entry-document.ts';
import { firstKeyAt, highestId, timeOfKey, toKey } from './entry-id.ts';
import { byKey, type MilestoneDocument, milestonesIn } from './milestone-document.ts';
import {
  hourMs,
  minuteMs,
  type PackedTally,
  type Tally,
  tallyOf,
  unpackMinutes,
  unpackTally,
} from './milestone-tally.ts';
import { addProofs } from './proof.ts';

/** Steps of equal length, each of whole minutes: `from` in ms since the epoch, `length` in ms. */
export interface TimeSteps {
  from: number;
  length: number;
  count: number;
}

/** What the entries of each step add up to. */
export interface StepSums<Group> {
  /** Entries by groups of senders. Groups without entries are absent. */
  groups: Map<Group, number[]>;
  /** Entries of no group. */
  rest: number[];
  /** Sums of `proofOf`; right where steps are whole hours. */
  proofs: bigint[];
}

/** What lies beyond the last milestone is counted by key up to here, then step by step. */
const readAtMost = 5_000;
/** Read in one answer. A milestone can have as many pairs to add up as entries. */
const milestonesAtOnce = 250;
const entriesAtOnce = 5_000;

const ascending = { _id: 1 } as const;

export function createStepCounter({ from, length, count }: TimeSteps) {
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
 * Adds up the entries of an application by steps. Milestones know what those between them add up to; so the entries themselves are read only
 * beyond the last one. All of it is read in the session of a snapshot; without one where nothing was ever deleted.
 */
export function stepCounts(db: Db) {
  const milestones = db.collection<MilestoneDocument>('milestones');
  const entries = db.collection<EntryDocument>('entries');

  const keyAt = (application: string, { from, length }: TimeSteps, step: number) =>
    firstKeyAt(application, new Date(from + step * length));

  /** Calls `take` with the milestones that know entries of the steps. Returns the keys of the entries that none knows, if there may be any. */
  async function readMilestones<Field extends keyof MilestoneDocument>(
    session: ClientSession | undefined,
    application: string,
    steps: TimeSteps,
    fields: Field[],
    take: (milestone: Pick<MilestoneDocument, Field>) => void,
  ): Promise<{ $gt?: Binary; $gte: Binary; $lt: Binary } | undefined> {
    const [begin, end] = [keyAt(application, steps, 0), keyAt(application, steps, steps.count)];
    const projection = Object.fromEntries(fields.map((field) => [field, 1]));
    const options = { sort: ascending, hint: byKey, projection, session };
    // First: those below it are there then, as milestones are set in the order of keys.
    const above = await milestones.findOne(
      milestonesIn(application, { $gte: end, $lte: toKey(application, highestId) }),
      options,
    );
    const within = milestonesIn(application, { $gte: begin, $lt: end });
    let last: Binary | undefined;
    for await (const milestone of milestones.find(within, { ...options, batchSize: milestonesAtOnce })) {
      take(milestone);
      last = milestone._id;
    }
    if (!above) return { $gte: begin, ...(last && { $gt: last }), $lt: end };
    take(above);
    return undefined;
  }

  async function countSteps(
    session: ClientSession | undefined,
    application: string,
    steps: TimeSteps,
  ): Promise<number[]> {
    const { counts, stepOf, add } = createStepCounter(steps);
    const beyond = await readMilestones(session, application, steps, ['minutes'], ({ minutes }) => {
      for (const [minute, count] of unpackMinutes(minutes)) add(minute * minuteMs, count);
    });
    if (!beyond) return counts;
    const options = {
      projection: { _id: 1 },
      sort: ascending,
      limit: readAtMost,
      batchSize: readAtMost,
      session,
    } as const;
    const found = await entries.find({ _id: beyond }, options).toArray();
    for (const { _id } of found) add(timeOfKey(_id));
    if (found.length < readAtMost) return counts;
    const last = found.at(-1)?._id as Binary;
    let from: object = { $gt: last };
    for (let step = stepOf(timeOfKey(last)); step < steps.count; step++) {
      const next = keyAt(application, steps, step + 1);
      const more = await entries.countDocuments({ _id: { ...from, $lt: next } }, { session });
      counts[step] = (counts[step] as number) + more;
      from = { $gte: next };
    }
    return counts;
  }

  /** `groupOf` tells the group of a sender by its number, which is not 0; undefined: none. */
  async function sumSteps<Group>(
    session: ClientSession | undefined,
    application: string,
    steps: TimeSteps,
    groupOf: (sender: number) => Group | undefined,
  ): Promise<StepSums<Group>> {
    const { counts: rest, stepOf } = createStepCounter(steps);
    const groups = new Map<Group, number[]>();
    const proofs: bigint[] = Array(steps.count).fill(0n);

    function addTo(group: Group, step: number, count: number): void {
      const counts = groups.get(group) ?? createStepCounter(steps).counts;
      groups.set(group, counts);
      counts[step] = (counts[step] as number) + count;
    }

    function take(tally: Tally): void {
      for (const [minute, count] of tally.all) {
        const step = stepOf(minute * minuteMs);
        if (step in rest) rest[step] = (rest[step] as number) + count;
      }
      for (const [sender, counts] of tally.senders) {
        const group = groupOf(sender);
        if (group === undefined) continue;
        for (const [minute, count] of counts) {
          const step = stepOf(minute * minuteMs);
          if (!(step in rest)) continue;
          addTo(group, step, count);
          rest[step] = (rest[step] as number) - count;
        }
      }
      for (const [hour, proof] of tally.proofs) {
        const step = stepOf(hour * hourMs);
        if (step in proofs) proofs[step] = addProofs(proofs[step] as bigint, proof);
      }
    }

    const fields: (keyof PackedTally)[] = ['minutes', 'senders', 'proofs'];
    const beyond = await readMilestones(session, application, steps, fields, (milestone) =>
      take(unpackTally(milestone)),
    );
    if (!beyond) return { groups, rest, proofs };
    const projection = { by: 1, once: 1 } as const;
    const options = { projection, sort: ascending, batchSize: entriesAtOnce, session };
    const found = entries.find({ _id: beyond }, options);
    while (await found.hasNext()) take(tallyOf(found.readBufferedDocuments()));
    return { groups, rest, proofs };
  }

  return { countSteps, sumSteps };
}
