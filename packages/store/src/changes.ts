import { type Db, type Document, type ObjectId, Timestamp, type UpdateFilter } from 'mongodb';
import { operationsName } from './backup/block.ts';

/** Which state of a document was read. Each change raises it; 0: there was none since it was made. */
export type Revision = bigint;

export const toRevision = (changedAt: Timestamp | undefined): Revision => changedAt?.toBigInt() ?? 0n;

/**
 * An update that changes what an upload or a live stream may do: MongoDB notes its time with it, for the feed. It is the cluster's time,
 * which never goes back, whatever the clock of a new primary says.
 */
export function changing<T extends Document>(update: UpdateFilter<T>): UpdateFilter<T>;
export function changing(update: Document[]): Document[];
export function changing(update: Document | Document[]): Document | Document[] {
  if (Array.isArray(update)) return [...update, { $set: { changedAt: '$$CLUSTER_TIME' } }];
  return { ...update, $currentDate: { ...update.$currentDate, changedAt: { $type: 'timestamp' } } };
}

/** Keys and tokens that are revoked stay for a day, so that whoever knows them hears of it. */
export const valid = { revokedAt: { $exists: false } };

/** What changed lately, as of one question. */
export interface Changes {
  /** Ids of documents, and their revisions. */
  revisions: Map<string, Revision>;
  /** Where the next question goes on. */
  until: Timestamp;
}

const followed = ['applications', 'keys', 'tokens', 'users'];
/** From the time of a change until it is there to read: MongoDB ends a transaction after 90 s at most. The rest is for the clock of `mongos`. */
const overlapSeconds = 120;
const rowsAtOnce = 100_000;

interface Row {
  _id: ObjectId;
  changedAt: Timestamp;
}

export type ChangeStore = ReturnType<typeof changeStore>;

/** What was changed by `changing`; see docs/decisions/0033-one-feed.md. */
export function changeStore(db: Db, timeoutMs: number) {
  const ofClock = [{ $match: { _id: 'schema' } }, { $project: { changedAt: '$$CLUSTER_TIME' } }];

  return {
    /**
     * What changed since the last question, and in the two minutes before it. The first question has no changes. An old primary does not answer.
     * Undefined while the database is not prepared.
     */
    async since(last: Timestamp | undefined): Promise<Changes | undefined> {
      const pipeline: Document[] = last
        ? [
            { $match: { changedAt: { $gt: new Timestamp({ t: last.t - overlapSeconds, i: 0 }) } } },
            { $project: { changedAt: 1 } },
          ]
        : [];
      const unions = last ? followed.map((coll) => ({ $unionWith: { coll, pipeline } })) : [];
      const found = db.collection(operationsName).aggregate<Row>([...ofClock, ...unions], {
        readConcern: { level: 'linearizable' },
        readPreference: 'primary',
        maxTimeMS: timeoutMs,
        batchSize: rowsAtOnce,
      });
      const [clock, ...rows] = await found.toArray();
      if (!clock) return undefined;
      const revisions = rows.map(({ _id, changedAt }) => [_id.toHexString(), toRevision(changedAt)] as const);
      return { until: clock.changedAt, revisions: new Map(revisions) };
    },
  };
}
