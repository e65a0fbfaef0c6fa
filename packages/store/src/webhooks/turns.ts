import { type Db, type Filter, ObjectId, type WithId } from 'mongodb';
import { webhooksByOwner } from '../indexes.ts';
import { fromNow, hasMatched, isFree, isLeased } from '../lease.ts';
import { type NewDelivery, newDelivery } from './new-delivery.ts';
import {
  type DeliveryDocument,
  type Progress,
  type Secret,
  type TakenWebhook,
  toWebhook,
  type WebhookDocument,
} from './webhook-records.ts';

type Turn = Pick<TakenWebhook, 'id' | 'fence'>;

const isValid = ({ until }: Secret) => until === undefined || until.getTime() > Date.now();

/** Which webhook to take: any that is due, or one of the next owner after `after`, of some or of all but some. */
interface Choice {
  /** Whether its last try failed. */
  isFailing: boolean;
  of?: string[];
  notOf?: string[];
  after?: string | undefined;
}

/** When to look again, and whether the last try failed. */
export interface Rest {
  inMs: number;
  isFailing?: boolean;
}

function toTaken(found: WithId<WebhookDocument>): TakenWebhook {
  const { since, fence, secrets, progress, owner, wakes, news } = found;
  return {
    ...toWebhook(found),
    since,
    fence,
    secrets: secrets.filter(isValid),
    progress,
    owner: owner.toHexString(),
    wakes,
    news,
  };
}

/** Whether a counter is unchanged. */
const is = (counter: 'wakes' | 'news', before: number) => ({ $eq: [`$${counter}`, before] });

/** The turns of webhooks: one worker at a time has a webhook, until its lease is over. */
export function webhookTurns(db: Db) {
  const webhooks = db.collection<WebhookDocument>('webhooks');
  const deliveries = db.collection<DeliveryDocument>('deliveries');
  const taken = ({ id, fence }: Turn) => ({ _id: new ObjectId(id), fence });

  /** Stores those that are not there yet. In a transaction with the webhook, a worker that dies would lock it for a minute. */
  async function place(made: DeliveryDocument[]): Promise<void> {
    if (made.length === 0) return;
    const storing = made.map(({ _id, ...rest }) => ({
      updateOne: { filter: { _id }, update: { $setOnInsert: rest }, upsert: true },
    }));
    await deliveries.bulkWrite(storing, { ordered: false });
  }

  return {
    /** Takes the webhook that is due for longest, of all or of an owner, for `leaseMs`. An index jumps over other owners. */
    async take(leaseMs: number, { isFailing, of, notOf, after }: Choice): Promise<TakenWebhook | undefined> {
      const due = {
        state: 'active',
        isFailing: isFailing ? true : { $exists: false },
        $expr: { $and: [isFree, { $lte: ['$dueAt', '$$NOW'] }] },
      } as Filter<WebhookDocument>;
      const lease = [{ $set: { leaseUntil: fromNow(leaseMs), fence: { $add: ['$fence', 1] } } }];
      const ids = (owners: string[]) => owners.map((owner) => new ObjectId(owner));
      const ofNext = (range: object) =>
        webhooks.findOneAndUpdate(
          { ...due, owner: { ...(of && { $in: ids(of) }), ...(notOf && { $nin: ids(notOf) }), ...range } },
          lease,
          { sort: { owner: 1, dueAt: 1 }, hint: webhooksByOwner, returnDocument: 'after' },
        );
      const last = new ObjectId(after ?? '0'.repeat(24));
      const found =
        of || notOf
          ? ((await ofNext({ $gt: last })) ?? (await ofNext({ $lte: last })))
          : await webhooks.findOneAndUpdate(due, lease, { sort: { dueAt: 1 }, returnDocument: 'after' });
      if (!found) return undefined;
      await place(found.made ?? []);
      return toTaken(found);
    },

    /** Notes the owner, by whom webhooks share a worker. */
    async setOwner(turn: Turn, owner: string): Promise<void> {
      await webhooks.updateOne(taken(turn), { $set: { owner: new ObjectId(owner) } });
    },

    /** As it is now; undefined when it is not active any more, or another worker's. */
    async current(turn: Turn): Promise<TakenWebhook | undefined> {
      const found = await webhooks.findOne({ ...taken(turn), state: 'active' });
      return found ? toTaken(found) : undefined;
    },

    /** Ends the lease. Who was woken meanwhile is due at once, and who had news too, but after a failed try. A lease that is over counts no news. */
    async release({ wakes, news, ...turn }: TakenWebhook, { inMs, isFailing = false }: Rest): Promise<void> {
      const isUnchanged = { $and: [is('wakes', wakes), ...(isFailing ? [] : [isLeased, is('news', news)])] };
      const dueAt = { $cond: [isUnchanged, fromNow(inMs), '$$NOW'] };
      const rest = { leaseUntil: '$$NOW', dueAt, isFailing: isFailing ? true : '$$REMOVE', made: '$$REMOVE' };
      await webhooks.updateOne(taken(turn), [{ $set: rest }]);
    },

    /** Gives up. The owner sees the reason. What waits stays. */
    async disable(turn: Turn, reason: string): Promise<void> {
      await webhooks.updateOne(
        { ...taken(turn), state: 'active' },
        { $set: { state: 'disabled', reason, lastModifiedAt: new Date() } },
      );
    },

    /** Records deliveries with the progress that they make: both or, when another worker has the webhook, neither. */
    async record(
      { id, application, fence }: TakenWebhook,
      progress: Partial<Progress>,
      news: NewDelivery[],
    ): Promise<boolean> {
      const made = news.map((delivery) => newDelivery({ id, application }, delivery));
      const steps = Object.entries(progress).map(([name, value]) => [`progress.${name}`, value]);
      const set = { ...Object.fromEntries(steps), made };
      if (!(await hasMatched(webhooks.updateOne(taken({ id, fence }), { $set: set })))) return false;
      await place(made);
      return true;
    },
  };
}
