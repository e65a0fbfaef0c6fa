import type { WebhookEvent } from '@sluice/shared/webhook-events.ts';
import { type Db, type Filter, ObjectId } from 'mongodb';
import { isLeased } from '../lease.ts';
import type { WebhookDocument } from './webhook-records.ts';

const raised = (counter: 'wakes' | 'news') => ({ $add: [`$${counter}`, 1] });
const isIdle = { $and: [{ $ne: ['$isFailing', true] }, { $gt: ['$dueAt', '$$NOW'] }] };
/** Whoever takes a webhook that is due sees the news. News do not shorten the wait after a failed try. */
const wouldMissNews = { $or: [isLeased, isIdle] };

/** Makes webhooks due. Idle webhooks are polled rarely, so each event must wake them. */
export function webhookWakes(db: Db) {
  const webhooks = db.collection<WebhookDocument>('webhooks');
  const inApplications = (applications: string[]): Filter<WebhookDocument> => ({
    application: { $in: applications.map((id) => new ObjectId(id)) },
  });
  const wake = async (filter: Filter<WebhookDocument>): Promise<void> => {
    await webhooks.updateMany(filter, [{ $set: { dueAt: '$$NOW', wakes: raised('wakes') } }]);
  };
  const note = async (filter: Filter<WebhookDocument>): Promise<void> => {
    await webhooks.updateMany({ ...filter, state: 'active', $expr: wouldMissNews }, [
      { $set: { dueAt: '$$NOW', news: raised('news') } },
    ]);
  };

  return {
    /** A worker looks at it next, also after a failed try. */
    wake: (id: string): Promise<void> => wake({ _id: new ObjectId(id) }),

    /** Wakes webhooks that rested while their application was deleted or the owner disabled. */
    wakeOf: (applications: string[]): Promise<void> => wake(inApplications(applications)),

    /** There may be entries of any application that nobody noted. */
    noteAny: (): Promise<void> => note({}),

    /** Something of these events happened in these applications. */
    noteEvents: (events: WebhookEvent[], applications: string[]): Promise<void> =>
      note({ ...inApplications(applications), events: { $in: events } }),
  };
}
