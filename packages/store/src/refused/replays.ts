import { type ClientSession, type Db, ObjectId } from 'mongodb';
import type { EntryStore, NewEntry } from '../entries/entries.ts';
import { storeInTransaction } from '../entries/store-in-transaction.ts';
import type { Writer } from '../entries/writer.ts';
import type { JobDocument, ReplayJob } from '../jobs/job-records.ts';
import { matching } from './refused.ts';
import { type RefusedDocument, type RefusedRecord, toRefused } from './refused-records.ts';

/** What one transaction stores at most; as BSON an entry is up to 6.5 times as long. */
const mostUploads = 500;
const mostBytes = 1024 ** 2;

/** Why an upload is refused still. */
export type NewReason = Pick<
  RefusedRecord,
  'id' | 'version' | 'name' | 'message' | 'details' | 'path' | 'keyword' | 'size'
>;

export interface ReplayedBatch {
  /** Id of the last upload of the batch. */
  last: string;
  /** How many it has. */
  count: number;
  stored: { id: string; entry: NewEntry }[];
  refused: NewReason[];
}

/** Some of the uploads are not there any more: the batch is to be read again. */
export class UploadsGone extends Error {}

/** The job has ended, or another worker has it. */
class JobGone extends Error {}

export type ReplayStore = ReturnType<typeof replayStore>;

/** Which refused uploads a replay has. */
const toSelection = ({ options: { path, keyword, from, to } }: Pick<ReplayJob, 'options'>) => ({
  path,
  keyword,
  from,
  to,
});

/** Turns refused uploads into entries, some in each transaction: so each is either the one or the other, whoever dies. */
export function replayStore(db: Db, entries: EntryStore, writer: Pick<Writer, 'write'>, timeoutMs: number) {
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

  async function commitIn(
    session: ClientSession,
    { id, fence }: Pick<ReplayJob, 'id' | 'fence'>,
    { last, count, stored, refused: again }: ReplayedBatch,
    createdAt: number,
  ): Promise<void> {
    const result = { 'result.stored': stored.length, 'result.still_refused': count - stored.length };
    const held = await jobs.updateOne(
      { _id: new ObjectId(id), state: 'active', fence },
      { $inc: { done: count, ...result }, $set: { after: last, attempts: 0 } },
      { session },
    );
    if (held.matchedCount === 0) throw new JobGone();
    if (stored.length > 0) {
      const ids = stored.map((upload) => new ObjectId(upload.id));
      const { deletedCount } = await refused.deleteMany({ _id: { $in: ids } }, { session });
      if (deletedCount !== ids.length) throw new UploadsGone();
      await entries.insertWithin(
        stored.map(({ entry }) => entry),
        createdAt,
        session,
      );
    }
    if (again.length === 0) return;
    const updates = again.map(({ id, ...reason }) => ({
      updateOne: { filter: { _id: new ObjectId(id) }, update: { $set: reason } },
    }));
    await refused.bulkWrite(updates, { session });
  }

  async function commit(
    session: ClientSession,
    job: Pick<ReplayJob, 'id' | 'fence'>,
    batch: ReplayedBatch,
  ): Promise<boolean> {
    try {
      await storeInTransaction(
        { db, writer, timeoutMs },
        ({ now }) => commitIn(session, job, batch, now()),
        session,
      );
      return true;
    } catch (error) {
      if (error instanceof JobGone) return false;
      throw error;
    }
  }

  return {
    /** How many uploads a replay still has. */
    count: (job: Pick<ReplayJob, 'application' | 'options' | 'after'>): Promise<number> =>
      refused.countDocuments(filterOf(job)),

    /** The next of them, oldest first. */
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

    /** False when the job is no longer this worker's. Throws UploadsGone. */
    commit,
  };
}
