import { isDeepStrictEqual } from 'node:util';
import { toJson } from '@sluice/json/numbers.ts';
import { readExactJson } from '@sluice/json/parse-json.ts';
import { within } from '@sluice/shared/deadline.ts';
import { Binary, type ClientSession, type Collection, type Db, type Document } from 'mongodb';
import { DocumentSequence } from 'mongodb/lib/cmap/commands.js';
import { becauseOfBefore, isPassing, storeFault, UnconfirmedError } from '../faults.ts';
import type { EntryDocument } from './entry-document.ts';
import { writeDocuments } from './write-documents.ts';
import type { Writer } from './writer.ts';

/** An entry whose place is known beforehand. */
export interface KeyedEntry {
  /** Nothing else may have it: see `createLineKeys`. */
  key: Binary;
  /** The payload, as in `NewEntry`. */
  json: Buffer;
  /** Of the schema with which it was validated; absent: the first. */
  version?: number | undefined;
}

export interface NewEntry {
  /** Id of the application. */
  application: string;
  /** The payload, an object that has passed `readPayload`. */
  json: Buffer;
  /** The same as BSON, where it is written already. */
  bson?: Buffer | undefined;
  /** 16 bytes: among entries that have the same, one is stored. */
  once?: Buffer | undefined;
  /** Of the schema with which it was validated; absent: the first. */
  version?: number | undefined;
  /** When it was refused first. */
  receivedAt?: Date | undefined;
  /** Set by `insert`: of the entry that is stored, be it now or before. */
  key?: Binary;
}

/**
 * `stored`: durable now. `repeated`: an entry with the same `once` and payload was stored before.
 * `conflicting`: one with the same `once` and another payload was. `unconfirmed`: it may be stored or not.
 * `refused`: MongoDB did not take it.
 */
export type Outcome = 'stored' | 'repeated' | 'conflicting' | 'unconfirmed' | 'refused';

interface WriteError {
  index: number;
  code: number;
}

interface InsertReply {
  n: number;
  writeErrors?: WriteError[];
  writeConcernError?: { code: number; errmsg: string };
}

interface Dependencies {
  db: Db;
  entries: Collection<EntryDocument>;
  /** Makes the collection when it is not there; see `entryStore`. */
  prepare(): Promise<void>;
  newKey(application: Buffer, createdAt: number): Binary;
  writer: Pick<Writer, 'write'>;
  timeoutMs: number;
}

const duplicateKey = 11000;

/** An entry as it goes to MongoDB. */
interface Prepared {
  key: Binary;
  json: Buffer;
  bson?: Buffer | undefined;
  once?: Binary | undefined;
  version?: number | undefined;
  receivedAt?: Date | undefined;
}

/** The `insert` command itself, with documents that are BSON already; see docs/decisions/0014-json-becomes-bson.md. */
export function createInsert({ db, entries, prepare, newKey, writer, timeoutMs }: Dependencies) {
  const { w, journal, wtimeoutMS } = db.writeConcern ?? {};
  const writeConcern = { w, j: journal, wtimeout: wtimeoutMS };

  function toPrepared(entry: NewEntry, createdAt: number): Prepared {
    const { application, json, bson, once, version, receivedAt } = entry;
    const key = newKey(Buffer.from(application, 'hex'), createdAt);
    return { key, json, bson, once: once && new Binary(once), version, receivedAt };
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

  /**
   * Whether the entries that were there before are the same. The insert that met them waited until they are durable.
   * One by one from the cursor, since they may be larger than what came now.
   */
  async function compare(batch: Prepared[]): Promise<Map<Prepared, Outcome>> {
    const outcomes = new Map<Prepared, Outcome>();
    for (const field of ['once', '_id'] as const) {
      const keyOf = ({ once, key }: Prepared) => (field === 'once' ? once : key);
      const mine = batch.filter(({ once }) => (once === undefined) === (field === '_id'));
      if (mine.length === 0) continue;
      const byKey = Map.groupBy(mine, (entry) => keyOf(entry)?.toString('hex'));
      const same = { [field]: { $in: mine.map(keyOf) } };
      for await (const found of entries.find(same, { useBigInt64: true })) {
        const stored = plain(toJson(found.payload));
        for (const entry of byKey.get(found[field]?.toString('hex')) ?? []) {
          const same = isDeepStrictEqual(stored, plain(entry.json.toString()));
          outcomes.set(entry, same ? 'repeated' : 'conflicting');
          entry.key = found._id;
        }
      }
    }
    return outcomes;
  }

  async function insertAndCompare(batch: Prepared[]): Promise<Outcome[]> {
    const outcomes = new Array<Outcome>(batch.length).fill('stored');
    const errors = await sendTwice(batch);
    if (errors.length === 0) return outcomes;
    const repeated = errors.filter(({ code }) => code === duplicateKey);
    // Where that fails, it is unknown of these alone: their neighbours are stored.
    const compared = await compare(repeated.map(({ index }) => batch[index] as Prepared)).catch(
      () => new Map<Prepared, Outcome>(),
    );
    for (const { index, code } of errors) {
      const known = compared.get(batch[index] as Prepared);
      const passing = code === duplicateKey || isPassing(code);
      outcomes[index] = known ?? (passing ? 'unconfirmed' : 'refused');
    }
    return outcomes;
  }

  return {
    /**
     * Stores entries in one command, all with the same `createdAt`; says of each what became of it. Resolves once those that are
     * `stored` are durable on a majority. Rejects when that is not known, or nothing could be begun. All of them together must
     * fit into one message (16 MB of BSON).
     */
    async insert(batch: NewEntry[]): Promise<Outcome[]> {
      await prepare();
      const inserting = writer.write(async (now) => {
        const createdAt = now();
        const prepared = batch.map((entry) => toPrepared(entry, createdAt));
        const outcomes = await insertAndCompare(prepared);
        for (const [at, { key }] of prepared.entries()) (batch[at] as NewEntry).key = key;
        return outcomes;
      });
      return within(timeoutMs, 'the insert was not confirmed in time', inserting);
    },

    /** The same for entries whose keys are made beforehand, and which may have been stored before. */
    async insertKeyed(batch: KeyedEntry[]): Promise<Outcome[]> {
      await prepare();
      return within(timeoutMs, 'the insert was not confirmed in time', insertAndCompare(batch));
    },

    /** Of each, whether an entry with the same key and payload is stored. */
    async hasKeyed(batch: KeyedEntry[]): Promise<boolean[]> {
      const compared = await compare(batch);
      return batch.map((entry) => compared.get(entry) === 'repeated');
    },

    /** Within a transaction, which is at an end when one of them is not taken: then it throws. `createdAt` is a writer's. */
    async insertWithin(batch: NewEntry[], createdAt: number, session: ClientSession): Promise<void> {
      await prepare();
      const prepared = batch.map((entry) => toPrepared(entry, createdAt));
      const [first] = await send(prepared, writeDocuments(prepared), session);
      if (first)
        throw new Error(`MongoDB refused entry ${first.index} of ${batch.length}: code ${first.code}`);
    },
  };
}

/** What is equal as JSON is equal: -0 is 0. */
const plain = (json: string) => readExactJson(json, (_key, value) => (value === 0 ? 0 : value));
