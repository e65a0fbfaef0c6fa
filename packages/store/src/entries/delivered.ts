import { Binary, type ClientSession, type Db } from 'mongodb';
import { operationsName } from '../backup/block.ts';
import type { BatchDocument } from './batches.ts';
import type { EntryDocument } from './entry-document.ts';
import type { Keying } from './insert-entries.ts';
import { placesOf } from './key-records.ts';
import { findKeys } from './near-keys.ts';

/** Hashes of sent keys or values; see `hashIdempotencyKey` and `hashUniqueValue`. */
export interface SentHashes {
  /** Of single uploads, and of unique values. */
  entries: Buffer[];
  batches: Buffer[];
}

/** Answered at once. */
const atOnce = 2_000;

export type DeliveredStore = ReturnType<typeof deliveredStore>;

/** Tells what is stored of what was sent. `prepare`: of entries. */
export function deliveredStore(db: Db, prepare: () => Promise<Keying>) {
  const entries = db.collection<EntryDocument>('entries');
  const batches = db.collection<BatchDocument>('batches');
  const notes = db.collection<{ _id: string }>(operationsName);

  /** The entries that can have the hashes. */
  async function* find(session: ClientSession, application: string, hashes: Buffer[]) {
    const { fields, records } = await prepare();
    const options = { projection: { once: 1, by: 1 }, batchSize: atOnce, session } as const;
    const ofIndex = { once: { $in: hashes.map((hash) => new Binary(hash)) } };
    if (fields.includes('once')) yield* entries.find(ofIndex, { ...options, hint: 'once_1' });
    if (!records) return;
    const places = await placesOf(db, application, hashes, session);
    yield* findKeys(entries, places, options);
  }

  /**
   * The number of the sender of each hash that is stored, by the hash in hexadecimal digits. Sees all that was acknowledged before. A batch is stored
   * when each of its lines is stored, or was refused for its content.
   */
  const senders = (application: string, sent: SentHashes): Promise<Map<string, number>> =>
    db.client.withSession(async (session) => {
      // A majority has journaled this write, and so all before it. The session's reads come after it, whichever server answers.
      await notes.updateOne({ _id: 'clock' }, { $currentDate: { at: true } }, { upsert: true, session });
      const found = new Map<string, number>();
      if (sent.entries.length > 0)
        for await (const { once, by = 0 } of find(session, application, sent.entries))
          for (const hash of [once ?? []].flat()) found.set(hash.toString('hex'), by);
      const those = { _id: { $in: sent.batches.map((hash) => new Binary(hash)) }, isDecided: true as const };
      const options = { projection: { by: 1 }, batchSize: atOnce, session } as const;
      if (sent.batches.length > 0)
        for await (const { _id, by = 0 } of batches.find(those, options)) found.set(_id.toString('hex'), by);
      return found;
    });

  return { senders };
}
