import { createHash } from 'node:crypto';
import { canonicalJson } from '@sluice/json/canonical-json.ts';
import { toJson } from '@sluice/json/numbers.ts';
import { within } from '@sluice/shared/deadline.ts';
import { Binary, type ClientSession, type Collection, type Db, type Document } from 'mongodb';
import { DocumentSequence } from 'mongodb/lib/cmap/commands.js';
import { becauseOfBefore, isPassing, storeFault, UnconfirmedError } from '../faults.ts';
import type { EntryDocument } from './entry-document.ts';
import { type Prepared, writeDocuments } from './write-documents.ts';
import type { Writer } from './writer.ts';

/** An entry whose place is known beforehand. */
export interface KeyedEntry {
  /** Nothing else may have it: see `createLineKeys`. */
  key: Binary;
  /** The payload, as in `NewEntry`. */
  json: Buffer;
  bson: Buffer;
  /** Of the schema with which it was validated; absent: the first. */
  version?: number | undefined;
}

export interface NewEntry {
  /** Id of the application. */
  application: string;
  /** The payload, an object that has passed `readPayload`. */
  json: Buffer;
  /** The same as BSON. */
  bson: Buffer;
  /** 16 bytes: among entries that have the same, one is stored. */
  idempotencyHash?: Buffer | undefined;
  /** What the client sent, where a replay changed it: `sentHash`. */
  sent?: Buffer | undefined;
  /** Of the schema with which it was validated; absent: the first. */
  version?: number | undefined;
  /** When it was refused first. */
  receivedAt?: Date | undefined;
  /** Set by `insert`: of the entry that is stored, be it now or before. */
  key?: Binary;
}

/**
 * `stored`: durable now. `unconfirmed`: may be stored or not. `refused`: MongoDB refused it.
 *
 * Earlier an entry with the same `idempotencyHash` was stored, with the same payload (`repeated`) or another (`conflicting`).
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

/** An entry that is stored already. */
export interface Before {
  outcome: Extract<Outcome, 'repeated' | 'conflicting'>;
  key: Binary;
}

type Comparable = Pick<Prepared, 'idempotencyHash' | 'sent' | 'json'> & { key?: Binary };

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

/** The `insert` command itself, with documents that are BSON already; see docs/decisions/0014-json-becomes-bson.md. */
export function createInsert({ db, entries, prepare, newKey, writer, timeoutMs }: Dependencies) {
  const { w, journal, wtimeoutMS } = db.writeConcern ?? {};
  const writeConcern = { w, j: journal, wtimeout: wtimeoutMS };

  function toPrepared(entry: NewEntry, createdAt: number): Prepared {
    const { application, json, bson, idempotencyHash, sent, version, receivedAt } = entry;
    const key = newKey(Buffer.from(application, 'hex'), createdAt);
    const asBinary = (bytes: Buffer | undefined) => bytes && new Binary(bytes);
    return {
      key,
      json,
      bson,
      idempotencyHash: asBinary(idempotencyHash),
      sent: asBinary(sent),
      version,
      receivedAt,
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

  /**
   * Finds the entries that are stored with the same `idempotencyHash` or key, and compares the payloads. Reads one by one from the cursor: a stored
   * entry may be larger than the new one.
   */
  async function compare<E extends Comparable>(batch: E[], session?: ClientSession): Promise<Map<E, Before>> {
    const before = new Map<E, Before>();
    for (const field of ['once', '_id'] as const) {
      const keyOf = ({ idempotencyHash, key }: Comparable) => (field === 'once' ? idempotencyHash : key);
      const mine = batch.filter(
        ({ idempotencyHash }) => (idempotencyHash === undefined) === (field === '_id'),
      );
      if (mine.length === 0) continue;
      const byKey = Map.groupBy(mine, (entry) => keyOf(entry)?.toString('hex'));
      const same = { [field]: { $in: mine.map(keyOf) } };
      for await (const found of entries.find(same, { useBigInt64: true, ...(session && { session }) }))
        for (const entry of byKey.get(found[field]?.toString('hex')) ?? [])
          before.set(entry, {
            outcome: isSame(found, entry) ? 'repeated' : 'conflicting',
            key: found._id,
          });
    }
    return before;
  }

  async function insertAndCompare(batch: Prepared[]): Promise<Outcome[]> {
    const outcomes = new Array<Outcome>(batch.length).fill('stored');
    const errors = await sendTwice(batch);
    if (errors.length === 0) return outcomes;
    const repeated = errors.filter(({ code }) => code === duplicateKey);
    // The insert that met the stored entries waited until they are durable. Where the comparison fails, it is unknown of these
    // alone: their neighbours are stored.
    const compared = await compare(repeated.map(({ index }) => batch[index] as Prepared)).catch(
      () => new Map<Prepared, Before>(),
    );
    for (const { index, code } of errors) {
      const entry = batch[index] as Prepared;
      const known = compared.get(entry);
      const passing = code === duplicateKey || isPassing(code);
      outcomes[index] = known?.outcome ?? (passing ? 'unconfirmed' : 'refused');
      if (known) entry.key = known.key;
    }
    return outcomes;
  }

  return {
    /**
     * Stores up to 16 MB of BSON in one command with one `createdAt`. Resolves when a majority has the `stored` entries.
     * Rejects if the outcome is unknown or nothing was begun.
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
    async hasKeyed(batch: Pick<KeyedEntry, 'key' | 'json'>[]): Promise<boolean[]> {
      const compared = await compare(batch);
      return batch.map((entry) => compared.get(entry)?.outcome === 'repeated');
    },

    /** For each payload, the entry with the same `idempotencyHash`; undefined if there is none. */
    async before(
      batch: { idempotencyHash: Buffer; sent?: Buffer | undefined; json: Buffer }[],
    ): Promise<(Before | undefined)[]> {
      const keyed = batch.map(({ idempotencyHash, sent, json }) => ({
        ...{ idempotencyHash: new Binary(idempotencyHash), sent: sent && new Binary(sent), json },
      }));
      const found = await compare(keyed);
      return keyed.map((one) => found.get(one));
    },

    /**
     * Within a transaction: stores the entries whose `idempotencyHash` is new. Returns `stored`, `repeated` or `conflicting` for each entry. Throws if
     * MongoDB refuses an entry, which ends the transaction. `createdAt` is a writer's.
     */
    async insertWithin(batch: NewEntry[], createdAt: number, session: ClientSession): Promise<Outcome[]> {
      await prepare();
      const prepared = batch.map((entry) => toPrepared(entry, createdAt));
      const keyed = prepared.filter(({ idempotencyHash }) => idempotencyHash);
      const before = keyed.length > 0 ? await compare(keyed, session) : new Map<Prepared, Before>();
      const byKey = Map.groupBy(keyed, ({ idempotencyHash }) => idempotencyHash?.toString('hex'));
      const further = new Set([...byKey.values()].flatMap(([_first, ...others]) => others));
      const added = prepared.filter((entry) => !before.has(entry) && !further.has(entry));
      const [first] = added.length > 0 ? await send(added, writeDocuments(added), session) : [];
      if (first)
        throw new Error(`MongoDB refused entry ${first.index} of ${added.length}: code ${first.code}`);
      // The transaction sees its own inserts.
      if (further.size > 0)
        for (const [entry, known] of await compare([...further], session)) before.set(entry, known);
      return prepared.map((entry) => before.get(entry)?.outcome ?? 'stored');
    },
  };
}

/** 16 bytes, the same for equal JSON values. What has no canonical text is equal only to the same bytes. */
export function sentHash(json: Buffer): Buffer {
  return createHash('sha256')
    .update(canonicalJson(json) ?? json)
    .digest()
    .subarray(0, 16);
}

/** Whether two payloads are the same upload. Of a replayed one, either the sent or the changed payload may be equal. */
function isSame({ payload, sent }: EntryDocument, entry: Comparable): boolean {
  const hashes = [sentHash(entry.json), ...(entry.sent ? [Buffer.from(entry.sent.buffer)] : [])];
  const isAny = (other: Uint8Array) => hashes.some((hash) => hash.equals(other));
  return (sent !== undefined && isAny(sent.buffer)) || isAny(sentHash(Buffer.from(toJson(payload))));
}
