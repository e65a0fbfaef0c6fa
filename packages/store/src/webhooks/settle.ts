import { Binary, type Db, ObjectId } from 'mongodb';
import type { EntryDocument } from '../entries/entry-document.ts';
import { idAfter, idOfKey, toKey } from '../entries/entry-id.ts';
import { inTransaction } from '../in-transaction.ts';
import { hasMatched } from '../lease.ts';
import { LeaseLost } from '../under-lease.ts';
import type { DeliveryDocument, EntryStretch, StoredContent } from './webhook-records.ts';

/** Of one delivery; bytes are those of BSON, unless one entry has more. */
export interface DeliverySize {
  count: number;
  bytes: number;
}

/**
 * Gives the ids of its entries to a delivery that a version before recorded as a stretch. An import may have brought entries between
 * them: what is too much for one delivery becomes another. Rejects with LeaseLost if another worker has done so.
 */
export async function settle(
  db: Db,
  { _id, ...delivery }: DeliveryDocument,
  { first, last }: EntryStretch,
  most: DeliverySize,
): Promise<StoredContent> {
  const deliveries = db.collection<DeliveryDocument>('deliveries');
  const application = delivery.application.toHexString();
  const keys = { $gte: toKey(application, first), $lte: toKey(application, last) };
  const found = db
    .collection<EntryDocument>('entries')
    .find({ _id: keys }, { sort: { _id: 1 } })
    .project<{ _id: Binary; size: number }>({ size: { $bsonSize: '$$ROOT' } });
  const ids: string[] = [];
  let bytes = 0;
  let hasMore = false;
  for await (const { _id, size } of found) {
    bytes += size;
    hasMore = ids.length === most.count || (ids.length > 0 && bytes > most.bytes);
    if (hasMore) break;
    ids.push(idOfKey(_id));
  }
  const content = { ids: new Binary(Buffer.from(ids.join(''), 'hex')) };
  const rest = { first: idAfter(ids.at(-1) ?? first), last };
  return inTransaction(db, async (session) => {
    const own = { _id, 'content.stretch': { $exists: true } };
    const updating = deliveries.updateOne(own, { $set: { content } }, { session });
    // Another worker has done so, perhaps before an import.
    if (!(await hasMatched(updating))) throw new LeaseLost();
    if (hasMore)
      await deliveries.insertOne(
        { ...delivery, _id: new ObjectId(), content: { stretch: rest } },
        { session },
      );
    return content;
  });
}
