import { writeDocuments } from '@sluice/bson/write-entries.ts';
import { within } from '@sluice/shared/deadline.ts';
import { Binary, type ClientSession, type Collection, type Db, type Document } from 'mongodb';
import { DocumentSequence } from 'mongodb/lib/cmap/commands.js';
import { becauseOfBefore, duplicateKey, isPassing, storeFault, UnconfirmedError } from '../faults.ts';
import { type Before, type Compare, type Outcome, valueIn } from './compare-entries.ts';
import type { EntryDocument, Prepared } from './entry-document.ts';
import { lowestId, timeOfKey, toKey } from './entry-id.ts';
import { isKeyed, type KeyRecords, underWay } from './key-records.ts';
import { spentHash } from './once.ts';
import type { Writer } from './writer.ts';

/** An entry whose place is known beforehand. */
export interface KeyedEntry {
  /** No other entry may have this key: see `createLineKeys`. */
  key: Binary;
  /** The payload, as in `NewEntry`. */
  json: Buffer;
  bson: Buffer;
  /** Of the schema with which it was validated; absent: the first. */
  version?: number | undefined;
  /** See `EntryDocument`. */
  announced?: number | undefined;
  by?: number | undefined;
  /** See `NewEntry`. */
  once?: Buffer[] | undefined;
  valueSince?: number | undefined;
}

export interface NewEntry {
  /** Id of the application. */
  application: string;
  /** The payload, an object that has passed `readPayload`. */
  json: Buffer;
  /** The same as BSON. */
  bson: Buffer;
  /** Of entries with the same hash, one is stored. One or two: that of the unique value first, then that of the idempotency key. */
  once?: Buffer[] | undefined;
  /** Present: the first hash is that of a unique value, which entries from this time on have for themselves (ms since the epoch). */
  valueSince?: number | undefined;
  /** What the client sent, where a replay changed it: `sentHash`. */
  sent?: Buffer | undefined;
  /** Of the schema with which it was validated; absent: the first. */
  version?: number | undefined;
  /** When it was refused first. */
  receivedAt?: Date | undefined;
  /** See `EntryDocument`. */
  by?: number | undefined;
  /** Where to store it, if that is known beforehand. */
  place?: Binary | undefined;
  /** Set by `insert`: of the entry that is stored, be it now or before. */
  key?: Binary;
}

interface WriteError {
  index: number;
  code: number;
}

interface InsertReply {
  n: number;
  writeErrors?: WriteError[];
  writeConcernError?: { code: number; errmsg: string };
}

/** An entry whose hash was taken may be free at the next turn. */
const mostTurns = 5;

/** How the database holds hashes. */
export interface Keying {
  /** The unique fields of entries. `once` is unique where an index of `entries` holds the hashes. */
  fields: ('_id' | 'once')[];
  /** On a cluster. */
  records?: KeyRecords;
  /** Looks again at the next use: the index may be gone. */
  refresh?(): void;
}

interface Dependencies {
  db: Db;
  entries: Collection<EntryDocument>;
  /** Makes the collection when it is not there; see `entryStore`. */
  prepare(): Promise<Keying>;
  compare: Compare;
  newKey(application: Buffer, createdAt: number): Binary;
  writer: Pick<Writer, 'write'>;
  timeoutMs: number;
}

/** The `insert` command itself, with documents that are BSON already; see docs/decisions/0014-json-becomes-bson.md. */
export function createInsert({ db, entries, prepare, compare, newKey, writer, timeoutMs }: Dependencies) {
  const { w, journal, wtimeoutMS } = db.writeConcern ?? {};
  const writeConcern = { w, j: journal, wtimeout: wtimeoutMS };

  function toPrepared(entry: NewEntry, createdAt: number): Prepared {
    const { application, json, bson, once, valueSince, sent, version, receivedAt, by } = entry;
    const key = entry.place ?? newKey(Buffer.from(application, 'hex'), createdAt);
    return {
      key,
      json,
      bson,
      once,
      valueSince,
      sent: sent && new Binary(sent),
      version,
      receivedAt,
      by,
    };
  }

  async function send(batch: Prepared[], bson: Buffer, session?: ClientSession): Promise<WriteError[]> {
    const documents = new DocumentSequence('documents');
    documents.push({}, bson);
    const command: Document = { insert: entries.collectionName, ordered: false, documents };
    // In a transaction it is the commit that is acknowledged.
    if (!session) command.writeConcern = writeConcern;
    const reply = (await db.command(command, session && { session })) as unknown as InsertReply;
    const { n, writeErrors = [], writeConcernError } = reply;
    if (writeConcernError)
      throw new UnconfirmedError(`not confirmed by a majority: ${writeConcernError.errmsg}`);
    if (n + writeErrors.length !== batch.length)
      throw new UnconfirmedError(`${n} of ${batch.length} entries stored`);
    return writeErrors;
  }

  /** The keys of the documents are new, so to send them again cannot store them twice. */
  async function sendTwice(batch: Prepared[]): Promise<WriteError[]> {
    const bson = writeDocuments(batch);
    try {
      return await send(batch, bson);
    } catch (error) {
      if (error instanceof UnconfirmedError || storeFault(error) !== 'unknown') throw error;
      return await send(batch, bson).catch((again) => {
        throw becauseOfBefore(again);
      });
    }
  }

  /** `since`: as for `KeyRecords`. */
  async function insertPlaced(batch: Prepared[], since: number, { fields, records }: Keying) {
    const keyed = records ? batch.filter(isKeyed) : [];
    if (!records || keyed.length === 0) return insertAndCompare(batch, fields);
    const { before, taken, release } = await records.place(keyed, since);
    const others = batch.filter((entry) => !before.has(entry) && !taken.has(entry));
    const outcomes = others.length > 0 ? await insertAndCompare(others, fields) : [];
    await release();
    const byEntry = new Map(others.map((entry, at) => [entry, outcomes[at] as Outcome]));
    return batch.map((entry) => byEntry.get(entry) ?? before.get(entry)?.outcome ?? 'unconfirmed');
  }

  /** Takes unique values from entries that are too old to have them. */
  async function freeValues(expired: Map<Prepared, Binary>, session?: ClientSession): Promise<void> {
    const updates = Array.from(expired, ([entry, holder]) => {
      const value = valueIn(entry) as Buffer;
      const spent = spentHash(value, holder.buffer);
      const replaced = {
        $map: { input: '$once', in: { $cond: [{ $eq: ['$$this', value] }, spent, '$$this'] } },
      };
      const once = { $cond: [{ $isArray: '$once' }, replaced, spent] };
      return { updateOne: { filter: { _id: holder, once: value }, update: [{ $set: { once } }] } };
    });
    // One command, as the neighbours of the entries wait for it.
    if (updates.length > 0) await entries.bulkWrite(updates, { ordered: false, ...(session && { session }) });
  }

  async function insertAndCompare(
    batch: Prepared[],
    fields: Keying['fields'],
    turns = mostTurns,
  ): Promise<Outcome[]> {
    const outcomes = new Array<Outcome>(batch.length).fill('stored');
    const errors = await sendTwice(batch);
    if (errors.length === 0) return outcomes;
    const repeated = errors.filter(({ code }) => code === duplicateKey);
    // The insert that met the stored entries waited until they are durable. Where the comparison fails, it is unknown of these
    // alone: their neighbours are stored.
    const stored = repeated.map(({ index }) => batch[index] as Prepared);
    const expired = new Map<Prepared, Binary>();
    const compared = await compare(stored, fields, { expired }).catch(() => undefined);
    /** Nothing has their hashes any more. */
    const free: number[] = [];
    for (const { index, code } of errors) {
      const entry = batch[index] as Prepared;
      const known = compared?.get(entry);
      const passing = code === duplicateKey || isPassing(code);
      outcomes[index] = known?.outcome ?? (passing ? 'unconfirmed' : 'refused');
      if (known) entry.key = known.key;
      else if (compared && code === duplicateKey && turns > 1) free.push(index);
    }
    if (free.length === 0) return outcomes;
    const again = async () => {
      await freeValues(expired);
      const left = free.map((index) => batch[index] as Prepared);
      return insertAndCompare(left, fields, turns - 1);
    };
    // It is unknown of these alone.
    const further = await again().catch(() => []);
    for (const [at, index] of free.entries()) outcomes[index] = further[at] ?? 'unconfirmed';
    return outcomes;
  }

  return {
    /**
     * Stores up to 16 MB of BSON in one command, with one `createdAt` where no place gives another. Resolves when a majority has the `stored` entries.
     * Rejects if the outcome is unknown or nothing was begun.
     */
    async insert(batch: NewEntry[]): Promise<Outcome[]> {
      const keying = await prepare();
      const since = Math.min(
        ...batch.map(({ place }) => (place ? timeOfKey(place) : Number.POSITIVE_INFINITY)),
      );
      const inserting = writer.write(
        async (now) => {
          const createdAt = now();
          const prepared = batch.map((entry) => toPrepared(entry, createdAt));
          const outcomes = await insertPlaced(prepared, Math.min(createdAt, since), keying);
          for (const [at, { key }] of prepared.entries()) (batch[at] as NewEntry).key = key;
          return outcomes;
        },
        { since, applications: batch.map(({ application }) => application) },
      );
      return within(timeoutMs, 'the insert was not confirmed in time', inserting);
    },

    /** The same for entries whose keys are made beforehand, and which may have been stored before: then with another key, which is set. */
    async insertKeyed(batch: KeyedEntry[]): Promise<Outcome[]> {
      const keying = await prepare();
      const inserting = insertPlaced(batch, Math.min(...batch.map(({ key }) => timeOfKey(key))), keying);
      return within(timeoutMs, 'the insert was not confirmed in time', inserting);
    },

    /** Whether each entry is stored with the same key and payload. */
    async hasKeyed(batch: Pick<KeyedEntry, 'key' | 'json'>[]): Promise<boolean[]> {
      const compared = await compare(batch, ['_id']);
      return batch.map((entry) => compared.get(entry)?.outcome === 'repeated');
    },

    /** For each payload, the entry with one of its hashes; undefined if there is none. */
    async before(
      application: string,
      batch: Pick<NewEntry, 'once' | 'valueSince' | 'sent' | 'json'>[],
    ): Promise<(Before | undefined)[]> {
      const { fields, records, refresh } = await prepare();
      const keyed = batch.map(({ once = [], valueSince, sent, json }) => ({
        key: toKey(application, lowestId),
        once,
        valueSince,
        sent: sent && new Binary(sent),
        json,
      }));
      const found = new Map(records && (await records.find(keyed)));
      const others = fields.includes('once') ? keyed.filter((one) => !found.has(one)) : [];
      const indexed = await compare(others, ['once']).catch((error) => {
        refresh?.();
        throw error;
      });
      return keyed.map((one) => found.get(one) ?? indexed.get(one));
    },

    /**
     * Within a transaction: stores the entries whose hashes are new. Returns what became of each entry, which is known. Throws if
     * MongoDB refuses an entry, which ends the transaction. `createdAt` is a writer's.
     */
    async insertWithin(batch: NewEntry[], createdAt: number, session: ClientSession): Promise<Outcome[]> {
      const { fields, records } = await prepare();
      const prepared = batch.map((entry) => toPrepared(entry, createdAt));
      const keyed = prepared.filter(isKeyed);
      const before = new Map<Prepared, Before>();
      const look = async (some: Prepared[]) => {
        const expired = new Map<Prepared, Binary>();
        const found = some.length > 0 ? compare(some, fields, { session, expired }) : [];
        for (const [entry, known] of await found) before.set(entry, known);
        await freeValues(expired, session);
      };
      // The holds are not released, as the transaction is committed later. They end after a minute.
      const placed = records && keyed.length > 0 && (await records.place(keyed, createdAt));
      if (placed && placed.taken.size > 0) throw underWay();
      await look(keyed);
      /** Those that have a hash of an earlier one. */
      const further: Prepared[] = [];
      const hashes = new Set<string>();
      const added = prepared.filter((entry) => {
        if (before.has(entry)) return false;
        const own = (entry.once ?? []).map((hash) => hash.toString('hex'));
        if (own.some((hash) => hashes.has(hash))) {
          further.push(entry);
          return false;
        }
        for (const hash of own) hashes.add(hash);
        return true;
      });
      const [first] = added.length > 0 ? await send(added, writeDocuments(added), session) : [];
      if (first)
        throw new Error(`MongoDB refused entry ${first.index} of ${added.length}: code ${first.code}`);
      // The transaction sees its own inserts.
      await look(further);
      return prepared.map((entry) => before.get(entry)?.outcome ?? 'stored');
    },
  };
}
