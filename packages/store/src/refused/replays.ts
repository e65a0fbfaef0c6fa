import { type ClientSession, type Db, ObjectId } from 'mongodb';
import type { BatchStore } from '../entries/batches.ts';
import type { EntryStore, NewEntry, Outcome } from '../entries/entries.ts';
import type { Hold } from '../entries/horizon.ts';
import { storeInTransaction } from '../entries/store-in-transaction.ts';
import type { Writer } from '../entries/writer.ts';
import { matching } from './refused.ts';
import {
  type RefusedDocument,
  type RefusedRecord,
  type RefusedSelection,
  toRefused,
} from './refused-records.ts';

/** The limits of one transaction. An entry as BSON is up to 6.5 times as long. */
const mostUploads = 500;
const mostBytes = 1024 ** 2;

/** Why an upload is still refused. */
export type NewReason = Pick<
  RefusedRecord,
  'id' | 'version' | 'name' | 'message' | 'details' | 'path' | 'keyword' | 'property' | 'size' | 'reason'
>;

export interface ReplayedBatch {
  /** Id of the last upload of the batch. */
  last: string;
  count: number;
  /** Ids of uploads whose entries exist. */
  repeated: string[];
  /** Uploads that conform, each with the reason if another payload has its key (`taken`) or its unique value (`duplicate`). */
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
  duplicate: NewReason | undefined;
}

const lineOf = ({ line }: Conforming): number => line ?? 0;

export interface ReplayResult {
  stored: number;
  still_refused: number;
  /** Uploads that were stored before with the same key or unique value; they are refused no more. */
  repeated?: number;
}

/** Some refused uploads were removed meanwhile: read the batch again. */
export class UploadsGone extends Error {}

/** Which uploads a replay takes. */
export interface ReplaySelection extends RefusedSelection {
  /** Their ids; absent: the rest selects them. */
  ids?: string[] | undefined;
  /** Id of the last upload that was taken. */
  after?: string | undefined;
}

/** Turns uploads that a schema refused into entries, a batch per transaction: each upload is always either refused or an entry. */
export function replayStore(
  db: Db,
  entries: EntryStore,
  batches: Pick<BatchStore, 'reserve' | 'lines'>,
  writer: Pick<Writer, 'write'>,
  timeoutMs: number,
) {
  const refused = db.collection<RefusedDocument>('refused');

  function filterOf(application: string, { ids, after, ...selection }: ReplaySelection) {
    return {
      $and: [
        matching(application, { ...selection, reason: 'schema' }),
        ...(ids ? [{ _id: { $in: ids.map((id) => new ObjectId(id)) } }] : []),
        ...(after ? [{ _id: { $gt: new ObjectId(after) } }] : []),
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
    application: ObjectId,
    { count, repeated, conforming, refused: reasons }: ReplayedBatch,
    createdAt: number,
    holds: Hold[],
  ): Promise<ReplayResult> {
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
    const others = [
      ...which('conflicting').map(({ taken }) => taken),
      ...which('duplicate').flatMap(({ duplicate }) => duplicate ?? []),
    ];
    const updates = [...reasons, ...others].map(({ id, property, ...reason }) => ({
      updateOne: {
        filter: { application, _id: new ObjectId(id) },
        update: property
          ? { $set: { ...reason, property } }
          : { $set: reason, $unset: { property: '' as const } },
      },
    }));
    if (updates.length > 0) await refused.bulkWrite(updates, { session });
    const again = repeated.length + which('repeated').length;
    return {
      stored: which('stored').length,
      still_refused: count - gone.length,
      ...(again > 0 && { repeated: again }),
    };
  }

  /** `after` is called in the same transaction. Throws UploadsGone. */
  async function commit(
    session: ClientSession,
    application: string,
    batch: ReplayedBatch,
    after: (result: ReplayResult) => Promise<void>,
  ): Promise<ReplayResult> {
    let result: ReplayResult | undefined;
    const holds: Hold[] = [];
    await storeInTransaction(
      { db, writer, timeoutMs, applications: [application] },
      async ({ now }) => {
        result = await commitIn(session, new ObjectId(application), batch, now(), holds);
        await after(result);
      },
      session,
    );
    for (const hold of holds) await hold.release();
    return result as ReplayResult;
  }

  return {
    /** How many a replay takes. */
    count: (application: string, selection: ReplaySelection): Promise<number> =>
      refused.countDocuments(filterOf(application, selection)),

    /** The next ones, oldest first. */
    async next(
      application: string,
      selection: ReplaySelection,
      limit = mostUploads,
    ): Promise<RefusedRecord[]> {
      const found: RefusedRecord[] = [];
      let bytes = 0;
      const oldestFirst = refused.find(filterOf(application, selection)).sort({ _id: 1 });
      for await (const document of oldestFirst.limit(limit)) {
        bytes += document.size;
        if (bytes > mostBytes && found.length > 0) break;
        found.push(toRefused(document));
      }
      return found;
    },

    commit,
  };
}
