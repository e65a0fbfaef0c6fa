import { createHash } from 'node:crypto';
import { type ClientSession, type Db, type Filter, ObjectId } from 'mongodb';
import { type AuditAction, actionsOf } from './audit-actions.ts';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

export interface AuditRecord {
  id: string;
  /** Id of the user who acted, or whose account somebody tried to enter. */
  user: string;
  username: string;
  action: AuditAction;
  at: Date;
  address: string;
  requestId: string;
  /** `password`, `oidc`, `code`, the id of a personal token, or `operator`. Absent: a service acted by itself. */
  via?: string | undefined;
  /** Name of that token. */
  token?: string | undefined;
  /** The domain of the application, which is never used again. */
  application?: string | undefined;
  job?: string | undefined;
  key?: string | undefined;
  details?: Record<string, string | number | boolean | string[]> | undefined;
  /** What has changed, as users see it, without secrets and payloads. */
  before?: object | undefined;
  after?: object | undefined;
  expiresAt: Date;
}

/** A page begins after this record. */
export type AuditPlace = Pick<AuditRecord, 'id' | 'at'>;

interface AuditDocument extends Omit<AuditRecord, 'id' | 'user'> {
  _id: ObjectId;
  user: ObjectId;
}

const toRecord = ({ _id, user, ...rest }: AuditDocument): AuditRecord => ({
  ...rest,
  id: _id.toHexString(),
  user: user.toHexString(),
});

type NewRecord = Omit<AuditRecord, 'id'>;

/** What happened, without payloads, passwords, tokens and keys. */
export type AuditEvent = Pick<
  AuditRecord,
  'action' | 'via' | 'token' | 'application' | 'job' | 'key' | 'details' | 'before' | 'after'
>;

/** Programs that act by themselves, as addresses of records. */
const programs = ['sluice-admin', 'ingest-worker'];

/** The user, or the program, that acted. */
export const actorOf = ({ address, username }: AuditRecord): string =>
  programs.includes(address) ? address : username;

/** Records that have all of these. */
export interface AuditSelection {
  user?: string;
  application?: string;
  /** A username or a program. */
  actor?: string | undefined;
  /** An action, or the part before the dot. */
  action?: string | undefined;
  from?: Date | undefined;
  to?: Date | undefined;
}

function toFilter({ user, application, actor, action, from, to }: AuditSelection): Filter<AuditDocument> {
  const ofActor =
    actor !== undefined &&
    (programs.includes(actor) ? { address: actor } : { username: actor, address: { $nin: programs } });
  return {
    ...(user !== undefined && { user: new ObjectId(user) }),
    ...(application !== undefined && { application }),
    ...ofActor,
    ...(action !== undefined && { action: { $in: actionsOf(action) } }),
    ...((from || to) && { at: { ...(from && { $gte: from }), ...(to && { $lt: to }) } }),
  };
}

/** The record of what happens now, to be kept for `keptMs`. */
export function auditRecord(
  { id, username }: { id: string; username: string },
  event: AuditEvent,
  origin: Pick<AuditRecord, 'address' | 'requestId'>,
  keptMs: number,
): NewRecord {
  const at = new Date();
  return { ...event, ...origin, user: id, username, at, expiresAt: new Date(at.getTime() + keptMs) };
}

/** One id per user or application, action and window. */
function countedId({ user, action, application = '', at }: NewRecord, withinMs: number): ObjectId {
  const time = Math.floor(at.getTime() / withinMs);
  const text = `${user} ${action} ${time} ${application}`;
  return new ObjectId(createHash('sha256').update(text).digest().subarray(0, 12));
}

export type AuditStore = ReturnType<typeof auditStore>;

/** Who did what. Nothing refers to a record, and it outlives its subject. */
export function auditStore(db: Db) {
  const audit = db.collection<AuditDocument>('audit');

  async function sum(
    { details: _, ...record }: NewRecord,
    { count, withinMs, session }: { count: number; withinMs: number; session?: ClientSession },
  ): Promise<void> {
    await audit.updateOne(
      { _id: countedId(record, withinMs) },
      {
        $setOnInsert: { ...record, user: new ObjectId(record.user) },
        $inc: { 'details.count': count },
        $max: { 'details.lastAt': record.at.toISOString() },
      },
      { upsert: true, session },
    );
  }

  return {
    async add(record: NewRecord): Promise<void> {
      await audit.insertOne({ ...record, _id: new ObjectId(), user: new ObjectId(record.user) });
    },

    /** One record for all events of a minute: that of the first event, with `count` and `lastAt` in its details. */
    count: (record: NewRecord): Promise<void> => sum(record, { count: 1, withinMs: minuteMs }),

    /** One record for all events of a day, written in a transaction. */
    countOfDay: (session: ClientSession, record: NewRecord, count: number): Promise<void> =>
      sum(record, { count, withinMs: dayMs, session }),

    /** Newest first. */
    async page(selection: AuditSelection, limit: number, after?: AuditPlace): Promise<AuditRecord[]> {
      const beyond = after && {
        at: { $lte: after.at },
        $or: [{ at: { $lt: after.at } }, { _id: { $lt: new ObjectId(after.id) } }],
      };
      const found = audit.find({ $and: [toFilter(selection), beyond ?? {}] });
      return (await found.sort({ at: -1, _id: -1 }).limit(limit).toArray()).map(toRecord);
    },

    /** Oldest first. */
    all: (selection: AuditSelection): AsyncIterable<AuditRecord> =>
      audit.find(toFilter(selection)).sort({ at: 1, _id: 1 }).map(toRecord),
  };
}
