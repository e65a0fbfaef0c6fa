import { isDeepStrictEqual } from 'node:util';
import { Binary, type ClientSession, type Collection, type Db, type Document } from 'mongodb';
import { within } from '../deadline.ts';
import type { EntryDocument } from './entries.ts';
import { becauseOfBefore, isPassing, storeFault, UnconfirmedError } from './faults.ts';

/** An entry whose place is known beforehand. */
export interface KeyedEntry {
  /** Nothing else may have it: see `createLineKeys`. */
  key: Binary;
  payload: Record<string, unknown>;
}

export interface NewEntry {
  /** Id of the application. */
  application: string;
  payload: Record<string, unknown>;
  /** 16 bytes: among entries that have the same, one is stored. */
  once?: Buffer | undefined;
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
  newKey(application: Buffer, createdAt: number): Binary;
  timeoutMs: number;
}

const duplicateKey = 11000;

/** The `insert` command itself: the driver's insertMany goes through each document twice. */
export function createInsert({ db, entries, newKey, timeoutMs }: Dependencies) {
  const { w, journal, wtimeoutMS } = db.writeConcern ?? {};
  const writeConcern = { w, j: journal, wtimeout: wtimeoutMS };

  function toDocument({ application, payload, once }: NewEntry, createdAt: number): EntryDocument {
    const _id = newKey(Buffer.from(application, 'hex'), createdAt);
    return once ? { _id, payload, once: new Binary(once) } : { _id, payload };
  }

  async function send(documents: EntryDocument[], session?: ClientSession): Promise<WriteError[]> {
    const command: Document = { insert: entries.collectionName, ordered: false, documents };
    // In a transaction it is the commit that is acknowledged.
    if (!session) command.writeConcern = writeConcern;
    const reply = (await db.command(command, session && { session })) as unknown as InsertReply;
    const { n, writeErrors = [], writeConcernError } = reply;
    if (writeConcernError)
      throw new UnconfirmedError(`not confirmed by a majority: ${writeConcernError.errmsg}`);
    if (n + writeErrors.length !== documents.length)
      throw new UnconfirmedError(`${n} of ${documents.length} entries stored`);
    return writeErrors;
  }

  /** The keys of the documents are new, so to send them again cannot store them twice. */
  async function sendTwice(documents: EntryDocument[]): Promise<WriteError[]> {
    try {
      return await send(documents);
    } catch (error) {
      if (error instanceof UnconfirmedError || storeFault(error) !== 'unknown') throw error;
      return await send(documents).catch((again) => {
        throw becauseOfBefore(again);
      });
    }
  }

  /**
   * Whether the entries that were there before are the same. The insert that met them waited until they are durable.
   * One by one from the cursor, since they may be larger than what came now.
   */
  async function compare(documents: EntryDocument[]): Promise<Map<EntryDocument, Outcome>> {
    const outcomes = new Map<EntryDocument, Outcome>();
    for (const field of ['once', '_id'] as const) {
      const mine = documents.filter(({ once }) => (once === undefined) === (field === '_id'));
      if (mine.length === 0) continue;
      const byKey = Map.groupBy(mine, (document) => document[field]?.toString('hex'));
      for await (const found of entries.find({ [field]: { $in: mine.map((document) => document[field]) } })) {
        const stored = plain(found.payload);
        for (const document of byKey.get(found[field]?.toString('hex')) ?? []) {
          const same = isDeepStrictEqual(stored, plain(document.payload));
          outcomes.set(document, same ? 'repeated' : 'conflicting');
        }
      }
    }
    return outcomes;
  }

  async function insertAndCompare(documents: EntryDocument[]): Promise<Outcome[]> {
    const outcomes = new Array<Outcome>(documents.length).fill('stored');
    const errors = await sendTwice(documents);
    if (errors.length === 0) return outcomes;
    const repeated = errors.filter(({ code }) => code === duplicateKey);
    // Where that fails, it is unknown of these alone: their neighbours are stored.
    const compared = await compare(repeated.map(({ index }) => documents[index] as EntryDocument)).catch(
      () => new Map<EntryDocument, Outcome>(),
    );
    for (const { index, code } of errors) {
      const known = compared.get(documents[index] as EntryDocument);
      const passing = code === duplicateKey || isPassing(code);
      outcomes[index] = known ?? (passing ? 'unconfirmed' : 'refused');
    }
    return outcomes;
  }

  return {
    insert(batch: NewEntry[]): Promise<Outcome[]> {
      const createdAt = Date.now();
      const documents = batch.map((entry) => toDocument(entry, createdAt));
      return within(timeoutMs, 'the insert was not confirmed in time', insertAndCompare(documents));
    },

    /** `repeated`: an entry with the same key and payload was stored before; `conflicting`: with another payload. */
    insertKeyed(batch: KeyedEntry[]): Promise<Outcome[]> {
      const documents = batch.map(({ key, payload }) => ({ _id: key, payload }));
      return within(timeoutMs, 'the insert was not confirmed in time', insertAndCompare(documents));
    },

    /** Within a transaction, which is at an end when one of them is not taken: then it throws. */
    async insertWithin(batch: NewEntry[], session: ClientSession): Promise<void> {
      const createdAt = Date.now();
      const documents = batch.map((entry) => toDocument(entry, createdAt));
      const [first] = await send(documents, session);
      if (first)
        throw new Error(`MongoDB refused entry ${first.index} of ${batch.length}: code ${first.code}`);
    },
  };
}

/** Equal as JSON: the driver makes a DBRef of `{$ref, $id}`, and -0 is 0. */
const plain = (payload: unknown) => JSON.parse(JSON.stringify(payload));
