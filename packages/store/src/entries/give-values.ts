import { Binary, type Collection, type Document } from 'mongodb';
import { duplicatesIn } from '../faults.ts';
import type { EntryDocument } from './entry-document.ts';
import type { KeyRecords } from './key-records.ts';
import type { HashedEntry } from './value-surveys.ts';

/** The hashes of an entry once it has a value: the value's comes first. Of a former value nothing is left beside a key. */
const withValue = (hash: Binary): Document => {
  const former = { $cond: [{ $isArray: '$once' }, { $arrayElemAt: ['$once', 1] }, '$once'] };
  return { $cond: [{ $eq: [{ $type: '$once' }, 'missing'] }, hash, [hash, former]] };
};

/** Gives stored entries the hashes of their unique values, unless other entries have them. May run again. */
export async function giveValues(
  entries: Collection<EntryDocument>,
  some: HashedEntry[],
  records: KeyRecords | undefined,
): Promise<void> {
  const own = records ? await records.own(some) : some;
  if (own.length === 0) return;
  const updates = own.map(({ key, hash }) => {
    const value = new Binary(hash);
    const filter = { _id: new Binary(key), once: { $ne: value } };
    return { updateOne: { filter, update: [{ $set: { once: withValue(value) } }] } };
  });
  await entries.bulkWrite(updates, { ordered: false }).catch(duplicatesIn);
}
