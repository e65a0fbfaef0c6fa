import { isOfJob, type WebhookEvent } from '@sluice/shared/webhook-events.ts';
import { type Db, type Filter, ObjectId } from 'mongodb';
import { countByApplication } from '../count-by-application.ts';
import { lastIdBefore } from '../entries/entry-id.ts';
import type { HorizonStore } from '../entries/horizon.ts';
import { fromNow } from '../lease.ts';
import { waitsAgain } from './new-delivery.ts';
import { silences } from './silences.ts';
import { webhookTurns } from './turns.ts';
import { webhookWakes } from './wakes.ts';
import {
  type DeliveryDocument,
  type Progress,
  toWebhook,
  type WebhookDocument,
  type WebhookRecord,
} from './webhook-records.ts';

/** The settings that a user chooses. */
export type WebhookFields = Pick<WebhookRecord, 'url' | 'events' | 'name' | 'refusals' | 'silence' | 'meta'>;

type Application = { id: string; version: number; owner: { id: string } };

export type WebhookStore = ReturnType<typeof webhookStore>;

/** Webhooks, and how far each was told. */
export function webhookStore(db: Db, horizon: Pick<HorizonStore, 'latest'>) {
  const webhooks = db.collection<WebhookDocument>('webhooks');
  const deliveries = db.collection<DeliveryDocument>('deliveries');
  const turns = webhookTurns(db);
  const wakes = webhookWakes(db);

  const one = (application: string, id: string): Filter<WebhookDocument> => ({
    _id: ObjectId.isValid(id) ? new ObjectId(id) : new ObjectId('0'.repeat(24)),
    application: new ObjectId(application),
  });

  /** From now on: all that is acknowledged later comes. */
  async function fromHere(version: number): Promise<Progress> {
    const now = new Date(await horizon.latest());
    return { entries: lastIdBefore(now), jobsSince: now, version };
  }

  return {
    ...turns,
    ...wakes,
    ...silences(db, {
      collection: 'webhooks',
      silence: 'silence',
      waiting: { state: 'active', events: 'entries.silent' },
      // Silence does not shorten the wait after a failed try.
      ready: { isFailing: { $ne: true } },
    }),
    fromHere,

    /** Undefined when the application has `limit` webhooks already. */
    async create(
      { id, version, owner }: Application,
      fields: WebhookFields & Pick<WebhookRecord, 'createdBy'>,
      secret: string,
      limit: number,
    ): Promise<WebhookRecord | undefined> {
      const now = new Date();
      const document: WebhookDocument = {
        _id: new ObjectId(),
        application: new ObjectId(id),
        owner: new ObjectId(owner.id),
        ...fields,
        state: 'active',
        since: fields.events.map((event) => ({ event, at: now })),
        secrets: [{ secret }],
        progress: await fromHere(version),
        fence: 0,
        wakes: 0,
        news: 0,
        // By MongoDB's clock: at once.
        leaseUntil: new Date(0),
        dueAt: new Date(0),
        createdAt: now,
        lastModifiedAt: now,
      };
      await webhooks.insertOne(document);
      // Counted afterwards, so that of several at once none slips through.
      if ((await webhooks.countDocuments({ application: document.application })) <= limit)
        return toWebhook(document);
      await webhooks.deleteOne({ _id: document._id });
      return undefined;
    },

    /** Newest first. */
    async list(application: string): Promise<WebhookRecord[]> {
      const found = webhooks.find({ application: new ObjectId(application) }).sort({ _id: -1 });
      return (await found.toArray()).map(toWebhook);
    },

    /** How many of each application were given up, or could not be told last. */
    failingOf: (applications: string[]) =>
      countByApplication(db, 'webhooks', applications, {
        $or: [{ state: 'disabled' }, { state: 'active', isFailing: true }],
      }),

    async get(application: string, id: string): Promise<WebhookRecord | undefined> {
      const found = await webhooks.findOne(one(application, id));
      return found ? toWebhook(found) : undefined;
    },

    /** Events that are new for the webhook come from now on. Undefined when there is no such webhook. */
    async update(
      { id, version }: Application,
      webhook: string,
      change: Partial<WebhookFields & Pick<WebhookRecord, 'state'>>,
    ): Promise<WebhookRecord | undefined> {
      const found = await webhooks.findOne(one(id, webhook));
      if (!found) return undefined;
      const now = new Date();
      // The tries of what waits begin anew.
      if (change.state === 'active' && found.state !== 'active')
        await deliveries.updateMany(
          { webhook: found._id, state: 'waiting', type: { $ne: 'ping' } },
          waitsAgain(),
        );
      const { events: before, since } = found;
      const here = await fromHere(version);
      const isNew = (is: (event: WebhookEvent) => boolean) => change.events?.some(is) && !before.some(is);
      const updated = await webhooks.findOneAndUpdate(
        one(id, webhook),
        {
          $set: {
            ...change,
            lastModifiedAt: now,
            ...(change.events && {
              since: change.events.map(
                (event) => since.find((each) => each.event === event) ?? { event, at: now },
              ),
            }),
            ...(isNew((event) => event === 'entries.stored') && { 'progress.entries': here.entries }),
            ...(isNew((event) => event === 'schema.published') && { 'progress.version': version }),
            ...(isNew(isOfJob) && { 'progress.jobsSince': here.jobsSince }),
          },
          ...(change.state && { $unset: { reason: '' } }),
        },
        { returnDocument: 'after' },
      );
      await wakes.wake(webhook);
      return updated ? toWebhook(updated) : undefined;
    },

    /**
     * Another secret signs from now on; the ones before sign beside it, each for `overlapMs` from the rotation that replaced it.
     * Undefined when there is no such webhook, or `limit` of its secrets sign already.
     */
    async rotate(
      application: string,
      id: string,
      secret: string,
      { overlapMs, limit }: { overlapMs: number; limit: number },
    ): Promise<WebhookRecord | undefined> {
      const isLive = { $gt: [{ $ifNull: ['$$this.until', maxDate] }, '$$NOW'] };
      const live = { $filter: { input: '$secrets', cond: isLive } };
      const first = { secret: { $first: '$secrets.secret' }, until: fromNow(overlapMs) };
      const others = { $slice: [live, 1, limit] };
      const updated = await webhooks.findOneAndUpdate(
        { ...one(application, id), $expr: { $lt: [{ $size: live }, limit] } },
        [{ $set: { secrets: { $concatArrays: [[{ secret }, first], others] } } }],
        { returnDocument: 'after' },
      );
      return updated ? toWebhook(updated) : undefined;
    },

    /** False when there is no such webhook. */
    async remove(application: string, id: string): Promise<boolean> {
      const { deletedCount } = await webhooks.deleteOne(one(application, id));
      if (deletedCount === 1) await deliveries.deleteMany({ webhook: new ObjectId(id) });
      return deletedCount === 1;
    },

    /** Delivers entries from a time on again, and other logged events. Waiting deliveries come first. */
    async rewind(id: string, from: Date): Promise<void> {
      // Whoever reads news now must not record them: its progress is that of before.
      await webhooks.updateOne(
        { _id: new ObjectId(id) },
        {
          $min: { 'progress.entries': lastIdBefore(from) },
          $set: { leaseUntil: new Date(0) },
          $inc: { fence: 1 },
        },
      );
      await deliveries.updateMany(
        { webhook: new ObjectId(id), createdAt: { $gte: from }, type: { $nin: ['entries.stored', 'ping'] } },
        waitsAgain(),
      );
      await wakes.wake(id);
    },
  };
}

const maxDate = new Date(8.64e15);
