import { ObjectId } from 'mongodb';
import { expect, it } from 'vitest';
import { openStore, ownDatabase } from '../../../../test/support/own-database.ts';
import type { EntryDocument } from '../entries/entry-document.ts';
import { toKey } from '../entries/entry-id.ts';
import { newDelivery } from './new-delivery.ts';
import type { DeliveryDocument } from './webhook-records.ts';

const idOf = (n: number) => n.toString(16).padStart(28, '0');

it('a delivery that has a stretch gets its entries when it is sent, and one more for what is too much', async () => {
  const { db, url } = await ownDatabase();
  const { deliveries } = openStore(url);
  const application = new ObjectId().toHexString();
  const webhook = { id: new ObjectId().toHexString(), application };
  const content = { stretch: { first: idOf(1), last: idOf(5) } };
  const recorded = newDelivery(webhook, { type: 'entries.stored', content: { entries: [] } });
  await db.collection<DeliveryDocument>('deliveries').insertOne({ ...recorded, content });
  const entries = db.collection<EntryDocument>('entries');
  const add = (...numbers: number[]) =>
    entries.insertMany(numbers.map((n) => ({ _id: toKey(application, idOf(n)), payload: { n } })));
  await add(1, 2, 4, 5, 6);

  const sent: unknown[] = [];
  for (;;) {
    const next = await deliveries.next(webhook, { count: 3, bytes: 1_000_000 });
    if (!next || !('entries' in next.content)) break;
    // Nothing that comes later belongs to it.
    await add(sent.length === 0 ? 3 : 0);
    const again = await deliveries.next(webhook, { count: 3, bytes: 1_000_000 });
    expect(again?.content).toEqual(next.content);
    const found = await deliveries.entries(application, next.content.entries);
    sent.push(found.map(({ payload }) => payload.n));
    await deliveries.note(next, 'delivered', { at: new Date(), ms: 1 }, new Date());
  }
  expect(sent).toEqual([[1, 2, 4], [5]]);
});
