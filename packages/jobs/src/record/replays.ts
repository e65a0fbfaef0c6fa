import type { BatchStore } from '@sluice/store/entries/batches.ts';
import type { EntryStore, NewEntry, Outcome } from '@sluice/store/entries/entries.ts';
import type { Hold } from '@sluice/store/entries/horizon.ts';
import { storeInTransaction } from '@sluice/store/entries/store-in-transaction.ts';
import type { Writer } from '@sluice/store/entries/writer.ts';
import { matching } from '@sluice/store/refused/refused.ts';
import {
  type RefusedDocument,
  type RefusedRecord,
  toRefused,
} from '@sluice/store/refused/refused-records.ts';
import { type ClientSession, type Db, ObjectId } from 'mongodb';
import type { JobDocument, ReplayJob, ReplayResult } from './job-records.ts';

/** The limits of one transaction. An entry as BSON is up to 6.5 times as long. */
const mostUploads = 500;
const mostBytes = 1024 ** 2;

/** Why an upload is still refused. */
export type NewReason = Pick<
  RefusedRecord,
  'id' | 'version' | 'name' | 'message' | 'details' | 'path' | 'keyword' | 'property' | 'size'
>;

export interface ReplayedBatch {
  /** Id of the last upload of the batch. */
  last: string;
  /** Number of uploads in the batch. */
  count: number;
  /** Ids of uploads whose entries exist. */
  repeated: string[];
  /** Uploads that conform. `taken`: the reason if the key was used for another payload. */
  conforming: Conforming[];
  refused: NewReason[];
}

interface Conforming {
  id: string;
  entry: NewEntry;
  /** In its batch. */
  line?: number | undefined;
  batch: RefusedRecord['batch'];
  taken: NewReason;
}

const lineOf = ({ line }: Conforming): number => line ?? 0;

/** `repeated`: uploads that were stored before with the same key. */
type Counts = Required<ReplayResult>;

/** Some refused uploads were removed meanwhile: read the batch again. */
export class UploadsGone extends Error {}

/** The job has ended, or another worker has it. */
class JobGone extends Error {}

const toSelection = ({ options: { path, keyword, property, from, to } }: Pick<ReplayJob, 'options'>) => ({
  path,
  keyword,
  property,
  from,
  to,
});

/** Turns refused uploads into entries, a batch per transaction: each upload is always either refused or an entry. */
export function replayStore(
  db: Db,
  entries: EntryStore,
  batches: Pick<BatchStore, 'reserve' | 'lines'>,
  writer: Pick<Writer, 'write'>,
  timeoutMs: number,
) {
  const refused = db.collection<RefusedDocument>('refused');
  const jobs = db.collection<JobDocument>('jobs');

  function filterOf(job: Pick<ReplayJob, 'application' | 'options' | 'after'>) {
    const { ids } = job.options;
    return {
      $and: [
        matching(job.application, toSelection(job)),
        ...(ids ? [{ _id: { $in: ids.map((id) => new ObjectId(id)) } }] : []),
        ...(job.after ? [{ _id: { $gt: new ObjectId(job.after) } }] : []),
      ],
    };
  }

  /** Reserves the keys of batches, and places for their lines. Returns the lines that must not be stored, with the reason. */
  async function reserveKeys(
    uploads: Conforming[],
    session: ClientSession,
    holds: Hold[],
  ): Promise<Map<Conforming, Outcome>> {
    const outcomes = new Map<Conforming, Outcome>();
    const byBatch = Map.groupBy(uploads, ({ batch }) => batch?.idempotencyHash.toString('hex'));
    for (const lines of byBatch.values()) {
      const [{ batch, entry }] = lines as [Conforming];
      if (!batch) continue;
      const { known, first } = await batches.reserve(
        { ...batch, application: entry.application },
        batch.atomic,
        session,
      );
      if (known !== 'first')
        for (const line of lines) outcomes.set(line, known === 'again' ? 'repeated' : 'conflicting');
      if (!first) continue;
      const { hold, stored, placeOf } = await batches.lines(first, Math.max(...lines.map(lineOf)));
      if (hold) holds.push(hold);
      for (const line of lines)
        if (stored.has(lineOf(line))) outcomes.set(line, 'repeated');
        else line.entry.place = placeOf?.(lineOf(line));
    }
    return outcomes;
  }

  async function commitIn(
    session: ClientSession,
    { id, fence, application: owner }: Pick<ReplayJob, 'id' | 'fence' | 'application'>,
    { last, count, repeated, conforming, refused: again }: ReplayedBatch,
    createdAt: number,
    holds: Hold[],
  ): Promise<Counts> {
    const application = new ObjectId(owner);
    const known = await reserveKeys(conforming, session, holds);
    const free = conforming.filter((upload) => !known.has(upload));
    const entriesOf = free.map(({ entry }) => entry);
    const outcomes = await entries.insertWithin(entriesOf, createdAt, session);
    for (const [i, upload] of free.entries()) known.set(upload, outcomes[i] as Outcome);
    const which = (...wanted: Outcome[]) =>
      conforming.filter((upload) => wanted.includes(known.get(upload) as Outcome));
    const gone = [...repeated, ...which('stored', 'repeated').map(({ id }) => id)].map(
      (id) => new ObjectId(id),
    );
    if (gone.length > 0) {
      const { deletedCount } = await refused.deleteMany({ application, _id: { $in: gone } }, { session });
      if (deletedCount !== gone.length) throw new UploadsGone();
    }
    const updates = [...again, ...which('conflicting').map(({ taken }) => taken)].map(
      ({ id, property, ...reason }) => ({
        updateOne: {
          filter: { application, _id: new ObjectId(id) },
          update: property
            ? { $set: { ...reason, property } }
            : { $set: reason, $unset: { property: '' as const } },
        },
      }),
    );
    if (updates.length > 0) await refused.bulkWrite(updates, { session });
    const counts = {
      stored: which('stored').length,
      still_refused: count - gone.length,
      repeated: repeated.length + which('repeated').length,
    };
    const result = {
      'result.stored': counts.stored,
      'result.still_refused': counts.still_refused,
      ...(counts.repeated > 0 && { 'result.repeated': counts.repeated }),
    };
    const held = await jobs.updateOne(
      { _id: new ObjectId(id), state: 'active', fence },
      { $inc: { done: count, ...result }, $set: { after: last, attempts: 0 } },
      { session },
    );
    if (held.matchedCount === 0) throw new JobGone();
    return counts;
  }

  async function commit(
    session: ClientSession,
    job: Pick<ReplayJob, 'id' | 'fence' | 'application'>,
    batch: ReplayedBatch,
  ): Promise<Counts | undefined> {
    let counts: Counts | undefined;
    const holds: Hold[] = [];
    try {
      await storeInTransaction(
        { db, writer, timeoutMs, applications: [job.application] },
        async ({ now }) => {
          counts = await commitIn(session, job, batch, now(), holds);
        },
        session,
      );
      for (const hold of holds) await hold.release();
      return counts;
    } catch (error) {
      if (error instanceof JobGone) return undefined;
      throw error;
    }
  }

  return {
    /** Counts the remaining uploads of a replay. */
    count: (job: Pick<ReplayJob, 'application' | 'options' | 'after'>): Promise<number> =>
      refused.countDocuments(filterOf(job)),

    /** The next uploads of a replay, oldest first. */
    async next(
      job: Pick<ReplayJob, 'application' | 'options' | 'after'>,
      limit = mostUploads,
    ): Promise<RefusedRecord[]> {
      const found: RefusedRecord[] = [];
      let bytes = 0;
      for await (const document of refused.find(filterOf(job)).sort({ _id: 1 }).limit(limit)) {
        bytes += document.size;
        if (bytes > mostBytes && found.length > 0) break;
        found.push(toRefused(document));
      }
      return found;
    },

    /** Undefined: the lease is lost. Throws UploadsGone. */
    commit,
  };
}
