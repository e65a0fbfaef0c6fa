import { type Binary, type Db, type Document, ObjectId } from 'mongodb';
import type { deletionStore } from '../entries/deletions.ts';
import type { EntryDocument } from '../entries/entry-document.ts';
import { idOfKey } from '../entries/entry-id.ts';
import { range } from '../entries/entry-range.ts';
import type { RefusedDocument } from '../refused/refused-records.ts';
import { erasedHash, erasedHashBytes } from './erased.ts';

/** Deleted by one transaction. */
const batch = 1_000;

/** Removes what an erasure removed, by its hashes. */
export function eraseAgain(db: Db, deletions: Pick<ReturnType<typeof deletionStore>, 'removeKeys'>) {
  const entries = db.collection<EntryDocument>('entries');
  const refused = db.collection<RefusedDocument>('refused');

  /** Passes ids whose hash is among them on, some at a time. */
  async function* among<Id>(
    found: AsyncIterable<Document & { _id: Id }>,
    isErased: (id: Id) => boolean,
  ): AsyncGenerator<Id[]> {
    let ids: Id[] = [];
    for await (const { _id } of found) {
      if (isErased(_id)) ids.push(_id);
      if (ids.length < batch) continue;
      yield ids;
      ids = [];
    }
    if (ids.length > 0) yield ids;
  }

  return async (application: string, hashes: Buffer): Promise<{ entries: number; refused: number }> => {
    const all = new Set<string>();
    for (let at = 0; at < hashes.length; at += erasedHashBytes)
      all.add(hashes.toString('latin1', at, at + erasedHashBytes));
    const isErased = (id: string) => all.has(erasedHash(application, id).toString('latin1'));
    const removed = { entries: 0, refused: 0 };
    const keys = entries.find(range(application, {})).project<{ _id: Binary }>({ _id: 1 });
    for await (const ids of among(keys, (key: Binary) => isErased(idOfKey(key))))
      removed.entries += await deletions.removeKeys(application, ids);
    const own = { application: new ObjectId(application) };
    const uploads = refused.find(own).project<{ _id: ObjectId }>({ _id: 1 });
    for await (const ids of among(uploads, (id: ObjectId) => isErased(id.toHexString())))
      removed.refused += (await refused.deleteMany({ ...own, _id: { $in: ids } })).deletedCount;
    return removed;
  };
}
