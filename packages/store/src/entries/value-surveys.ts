import { toJson } from '@sluice/json/numbers.ts';
import { Binary, type Db } from 'mongodb';
import { duplicatesIn } from '../faults.ts';
import { sentHash } from './compare-entries.ts';
import type { EntryDocument } from './entry-document.ts';
import { findKeys } from './near-keys.ts';

/** A value that a job has seen. */
interface SeenValue {
  /** The job's id, then the hash. */
  _id: Binary;
  /** The key of the first entry that has it. */
  entry: Binary;
  /** After some days MongoDB removes what a job left. */
  at: Date;
}

export interface HashedEntry {
  key: Buffer;
  /** See `hashUniqueValue`. */
  hash: Buffer;
}

/** How many entries have the value of an earlier one: with the same payload, and with another. */
export interface Repetitions {
  repeated: number;
  conflicting: number;
}

export const surveysName = 'surveys';

/** Finds out which entries have the same value, however many there are. */
export function valueSurveys(db: Db) {
  const seen = db.collection<SeenValue>(surveysName);
  const entries = db.collection<EntryDocument>('entries');
  const idOf = (job: string, hash: Buffer) => new Binary(Buffer.concat([Buffer.from(job, 'hex'), hash]));

  /** Returns those whose values were seen before. */
  async function add(job: string, some: HashedEntry[]): Promise<HashedEntry[]> {
    const at = new Date();
    const documents = some.map(({ key, hash }) => ({ _id: idOf(job, hash), entry: new Binary(key), at }));
    try {
      if (documents.length > 0) await seen.insertMany(documents, { ordered: false });
      return [];
    } catch (error) {
      return duplicatesIn(error).map((at) => some[at] as HashedEntry);
    }
  }

  async function payloadHashes(keys: Binary[]): Promise<Map<string, string>> {
    const hashes = new Map<string, string>();
    const found = findKeys(entries, keys, { projection: { payload: 1 }, useBigInt64: true });
    for await (const { _id, payload } of found)
      hashes.set(_id.toString('hex'), sentHash(Buffer.from(toJson(payload))).toString('hex'));
    return hashes;
  }

  return {
    /** Counts entries of a job, oldest first. The same entry may come again. */
    async note(job: string, some: HashedEntry[]): Promise<Repetitions> {
      const counts: Repetitions = { repeated: 0, conflicting: 0 };
      const again = await add(job, some);
      if (again.length === 0) return counts;
      const known = seen.find({ _id: { $in: again.map(({ hash }) => idOf(job, hash)) } });
      const firsts = new Map((await known.toArray()).map(({ _id, entry }) => [_id.toString('hex'), entry]));
      const pairs = again.flatMap(({ key, hash }) => {
        const first = firsts.get(idOf(job, hash).toString('hex'));
        const own = new Binary(key);
        return first && first.toString('hex') !== own.toString('hex') ? [{ first, own }] : [];
      });
      const hashes = await payloadHashes(pairs.flatMap(({ first, own }) => [first, own]));
      const hashAt = (key: Binary) => hashes.get(key.toString('hex'));
      for (const { first, own } of pairs)
        counts[hashAt(first) === hashAt(own) ? 'repeated' : 'conflicting'] += 1;
      return counts;
    },

    async remove(job: string): Promise<void> {
      const bound = (byte: number) => idOf(job, Buffer.alloc(16, byte));
      await seen.deleteMany({ _id: { $gte: bound(0), $lte: bound(0xff) } });
    },
  };
}
