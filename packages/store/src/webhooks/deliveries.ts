import { type Db, type Filter, ObjectId } from 'mongodb';
import type { EntryDocument, StoredEntry } from '../entries/entry-document.ts';
import { type EntryId, toKey } from '../entries/entry-id.ts';
import { findKeys } from '../entries/near-keys.ts';
import { readDocument } from '../entries/read-document.ts';
import { newDelivery, unpacked, waitsAgain } from './new-delivery.ts';
import {
  type Attempt,
  type Content,
  type DeliveryDocument,
  type DeliveryRecord,
  toDelivery,
  type WebhookRecord,
} from './webhook-records.ts';

type Named = Pick<WebhookRecord, 'id' | 'application'>;

/** A delivery that is to be sent. */
export type Waiting = DeliveryRecord &
  Pick<DeliveryDocument, 'triedSince' | 'askedAt'> & { content: Content };

export type DeliveryStore = ReturnType<typeof deliveryStore>;

/** What webhooks were told, or will be. */
export function deliveryStore(db: Db) {
  const deliveries = db.collection<DeliveryDocument>('deliveries');
  const entries = db.collection<EntryDocument>('entries');
  const of = ({ id }: Pick<Named, 'id'>): Filter<DeliveryDocument> => ({ webhook: new ObjectId(id) });

  return {
    /** Newest first. */
    async list(
      webhook: Pick<Named, 'id'>,
      { start, limit }: { start: number; limit: number },
    ): Promise<{ result: DeliveryRecord[]; total: number }> {
      const found = deliveries.find(of(webhook), { projection: { content: 0 } }).sort({ _id: -1 });
      const [documents, total] = await Promise.all([
        found.skip(start).limit(limit).toArray(),
        deliveries.countDocuments(of(webhook)),
      ]);
      return { result: documents.map(toDelivery), total };
    },

    /** The one to send next. */
    async next(webhook: Pick<Named, 'id'>): Promise<Waiting | undefined> {
      const found = await deliveries.findOne({ ...of(webhook), state: 'waiting' }, { sort: { _id: 1 } });
      if (!found) return undefined;
      const { content, triedSince, askedAt } = found;
      return {
        ...toDelivery(found),
        content: unpacked(content),
        ...(triedSince && { triedSince }),
        ...(askedAt && { askedAt }),
      };
    },

    /** The ping that waits, or another one. */
    async ping(webhook: Named): Promise<DeliveryRecord> {
      const there = await deliveries.findOne({ ...of(webhook), type: 'ping', state: 'waiting' });
      const document = there ?? newDelivery(webhook, { type: 'ping', content: { data: {} } });
      if (!there) await deliveries.insertOne(document);
      return toDelivery(document);
    },

    /** It waits again. Undefined when there is no such delivery. */
    async again(webhook: Pick<Named, 'id'>, id: string): Promise<DeliveryRecord | undefined> {
      if (!ObjectId.isValid(id)) return undefined;
      const found = await deliveries.findOneAndUpdate(
        { ...of(webhook), _id: new ObjectId(id) },
        waitsAgain(),
        { returnDocument: 'after' },
      );
      return found ? toDelivery(found) : undefined;
    },

    /** Notes the result of a try. `triedSince` is the time of the first. A delivery that was asked for again meanwhile waits. */
    async note(
      { id, askedAt }: Pick<Waiting, 'id' | 'askedAt'>,
      state: DeliveryRecord['state'],
      last: Attempt,
      triedSince: Date,
    ): Promise<void> {
      await deliveries.updateOne(
        { _id: new ObjectId(id), askedAt: askedAt ?? { $exists: false } },
        { $set: { state, last, triedSince }, $inc: { attempts: 1 } },
      );
    },

    /** Keeps the last `limit` deliveries, and all that wait. */
    async trim(webhook: Pick<Named, 'id'>, limit: number): Promise<void> {
      const [first] = await deliveries.find(of(webhook)).sort({ _id: -1 }).skip(limit).limit(1).toArray();
      if (!first) return;
      await deliveries.deleteMany({ ...of(webhook), _id: { $lte: first._id }, state: { $ne: 'waiting' } });
    },

    /**
     * Removes deliveries of entries of which some are there no more: what a receiver answered may repeat them. Those that wait are sent with
     * the other entries; what is on its way counts as not sent.
     */
    async forget(application: string): Promise<void> {
      const ofEntries = { application: new ObjectId(application), 'content.ids': { $exists: true } };
      for await (const { _id, content } of deliveries
        .find(ofEntries)
        .project<DeliveryDocument>({ content: 1 })) {
        const unpackedIds = unpacked(content) as { entries: EntryId[] };
        const keys = unpackedIds.entries.map((id) => toKey(application, id));
        const left = await Array.fromAsync(findKeys(entries, keys, { projection: { _id: 1 } }));
        if (left.length === keys.length) continue;
        const { $set, $unset } = waitsAgain();
        await deliveries.updateOne({ _id, state: 'waiting' }, { $set, $unset: { ...$unset, last: '' } });
        await deliveries.deleteOne({ _id, state: { $ne: 'waiting' } });
      }
    },

    /** The entries of a delivery, oldest first, without deleted ones. */
    async entries(application: string, ids: EntryId[]): Promise<StoredEntry[]> {
      const keys = ids.map((id) => toKey(application, id));
      return Array.fromAsync(findKeys<Uint8Array>(entries, keys, { raw: true }), readDocument);
    },
  };
}
