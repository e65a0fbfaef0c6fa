import { type Db, type Document, type Filter, ObjectId } from 'mongodb';
import { fromNow } from '../lease.ts';
import type { WebhookDocument, WebhookEvent } from './webhook-records.ts';

/** A webhook of a busy application is woken once in this time. */
const slackMs = 1_000;
/** Above all times that entries have by now, by MongoDB's clock. */
const aheadMs = 2_000 + slackMs;

const raised = (counter: 'wakes' | 'news') => ({ $add: [`$${counter}`, 1] });
const untilNow = { $max: ['$newsUntil', fromNow(aheadMs)] };
/** News do not shorten the wait after a failed try. */
const unlessFailing = { $cond: ['$isFailing', '$dueAt', '$$NOW'] };

/** Makes webhooks due. Idle webhooks are polled rarely, so each event must wake them. */
export function webhookWakes(db: Db) {
  const webhooks = db.collection<WebhookDocument>('webhooks');
  const inApplications = (applications: string[]): Filter<WebhookDocument> => ({
    application: { $in: applications.map((id) => new ObjectId(id)) },
  });
  const wake = async (filter: Filter<WebhookDocument>): Promise<void> => {
    await webhooks.updateMany(filter, [
      { $set: { dueAt: '$$NOW', newsUntil: untilNow, wakes: raised('wakes') } },
    ]);
  };
  const note = async (filter: Filter<WebhookDocument>, newsUntil: Document): Promise<void> => {
    const news = { dueAt: unlessFailing, newsUntil, news: raised('news') };
    await webhooks.updateMany({ ...filter, state: 'active' }, [{ $set: news }]);
  };

  return {
    /** A worker looks at it next, also after a failed try. */
    wake: (id: string): Promise<void> => wake({ _id: new ObjectId(id) }),

    /** Wakes webhooks that rested while their application was deleted or the owner disabled. */
    wakeOf: (applications: string[]): Promise<void> => wake(inApplications(applications)),

    /** There may be entries of any application that nobody noted. */
    noteAny: (): Promise<void> => note({}, untilNow),

    /** Something of these events happened in these applications. */
    noteEvents: (events: WebhookEvent[], applications: string[]): Promise<void> =>
      note({ ...inApplications(applications), events: { $in: events } }, untilNow),

    /** Applications have entries of before a time (ms since the epoch). They are looked at until the horizon is there. */
    async noteEntries(applications: string[], until: number): Promise<void> {
      const isKnown = { $gte: new Date(until) };
      await note(
        { ...inApplications(applications), events: 'entries.stored', newsUntil: { $not: isKnown } },
        { $literal: new Date(until + slackMs) },
      );
    },
  };
}
