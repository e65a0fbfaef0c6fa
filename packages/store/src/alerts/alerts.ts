import { randomBytes } from 'node:crypto';
import type { WebhookEvent } from '@sluice/shared/webhook-events.ts';
import { type Db, ObjectId } from 'mongodb';
import { isDuplicate } from '../faults.ts';
import { inTransaction } from '../in-transaction.ts';
import { fromNow, hasMatched, isFree } from '../lease.ts';
import { silences } from '../webhooks/silences.ts';
import type { Progress, TakenWebhook, Threshold } from '../webhooks/webhook-records.ts';
import type { AlertContent, MailStore, Matter } from './mails.ts';

export const alertsName = 'alerts';

/** What a user wants to be told of an application by e-mail. */
export interface AlertSettings {
  refused?: Threshold;
  /** Minutes without an entry. */
  silence?: number;
  jobs?: boolean;
  failing?: boolean;
  publications?: boolean;
}

/** Null: no longer. */
export type AlertChange = { [Name in keyof AlertSettings]?: AlertSettings[Name] | null };

/** What alerts tell: events of webhooks, and one more. */
type AlertEvent = WebhookEvent | 'webhook.failing';

/** The events that a matter tells. */
export const eventsOf: Record<Exclude<Matter, 'failing'>, WebhookEvent[]> = {
  refused: ['refusals.threshold'],
  silence: ['entries.silent'],
  jobs: ['export.completed', 'export.failed', 'import.completed', 'import.failed'],
  publications: ['schema.published'],
};

const allEventsOf: Record<Matter, AlertEvent[]> = {
  ...eventsOf,
  failing: ['archive.failed', 'webhook.failing'],
};

export interface TakenAlert extends Pick<TakenWebhook, 'since' | 'progress' | 'refusals' | 'silence'> {
  id: string;
  user: string;
  application: string;
  settings: AlertSettings;
  fence: number;
  news: number;
}

interface AlertDocument extends Omit<TakenAlert, 'id' | 'user' | 'application' | 'refusals' | 'silence'> {
  _id: ObjectId;
  user: ObjectId;
  application: ObjectId;
  events: AlertEvent[];
  /** The end of a link that ends the alert without a sign-in. */
  code: string;
  dueAt: Date;
  leaseUntil: Date;
}

const toTaken = ({ _id, user, application, settings, since, progress, fence, news }: AlertDocument) => ({
  id: _id.toHexString(),
  user: user.toHexString(),
  application: application.toHexString(),
  settings,
  since,
  progress,
  ...(settings.refused && { refusals: settings.refused }),
  ...(settings.silence && { silence: settings.silence }),
  fence,
  news,
});

export type AlertStore = ReturnType<typeof alertStore>;

/** What users are told of applications by e-mail, and how far each was told. */
export function alertStore(
  db: Db,
  fromHere: (version: number) => Promise<Progress>,
  mails: Pick<MailStore, 'addAlert'>,
) {
  const alerts = db.collection<AlertDocument>(alertsName);
  const one = (user: string, application: string) => ({
    user: new ObjectId(user),
    application: new ObjectId(application),
  });
  const taken = ({ id, fence }: Pick<TakenAlert, 'id' | 'fence'>) => ({ _id: new ObjectId(id), fence });
  const due = { dueAt: '$$NOW', news: { $add: ['$news', 1] } };

  return {
    ...silences(db, { collection: alertsName, silence: 'settings.silence' }),

    async of(user: string, application: string): Promise<AlertSettings> {
      return (await alerts.findOne(one(user, application)))?.settings ?? {};
    },

    /** Changes settings. A matter that was off tells news from now on. */
    async update(
      user: string,
      { id, version }: { id: string; version: number },
      change: AlertChange,
    ): Promise<AlertSettings> {
      const found = await alerts.findOne(one(user, id));
      const merged = Object.entries({ ...found?.settings, ...change }).filter(([, value]) => value);
      const settings: AlertSettings = Object.fromEntries(merged);
      const matters = Object.keys(settings) as Matter[];
      if (matters.length === 0) {
        await alerts.deleteOne(one(user, id));
        return {};
      }
      const events: AlertEvent[] = matters.flatMap((matter) => allEventsOf[matter]);
      const now = new Date();
      const here = await fromHere(version);
      const before = found?.events ?? [];
      const isNew = (is: (event: AlertEvent) => boolean) => events.some(is) && !before.some(is);
      const since = matters
        .flatMap((matter) => (matter === 'failing' ? [] : eventsOf[matter]))
        .map((event) => found?.since.find((each) => each.event === event) ?? { event, at: now });
      await alerts.updateOne(
        one(user, id),
        {
          $set: {
            settings,
            events,
            since,
            ...(isNew((event) => event === 'schema.published') && { 'progress.version': version }),
            ...(isNew((event) => eventsOf.jobs.some((each) => each === event)) && {
              'progress.jobsSince': here.jobsSince,
            }),
            ...(change.silence !== undefined && { 'progress.toldSilence': null }),
            ...(change.refused !== undefined && { 'progress.isOver': false }),
            ...(change.failing !== undefined && { 'progress.toldFailing': [] }),
            dueAt: new Date(0),
          },
          $setOnInsert: {
            code: randomBytes(24).toString('base64url'),
            fence: 0,
            leaseUntil: new Date(0),
          },
          $inc: { news: 1 },
        },
        { upsert: true },
      );
      return settings;
    },

    /** Something of these events happened in these applications. */
    async noteEvents(events: AlertEvent[], applications: string[]): Promise<void> {
      const application = { $in: applications.map((id) => new ObjectId(id)) };
      await alerts.updateMany({ application, events: { $in: events } }, [{ $set: due }]);
    },

    /** Takes the alert that is due for longest, for `leaseMs`. */
    async take(leaseMs: number): Promise<TakenAlert | undefined> {
      const isDue = { $expr: { $and: [isFree, { $lte: ['$dueAt', '$$NOW'] }] } };
      const lease = [{ $set: { leaseUntil: fromNow(leaseMs), fence: { $add: ['$fence', 1] } } }];
      const found = await alerts.findOneAndUpdate(isDue, lease, {
        sort: { dueAt: 1 },
        returnDocument: 'after',
      });
      return found ? toTaken(found) : undefined;
    },

    /** Records progress and its mail in one transaction. `later`: the matter had a mail in this hour. `lost`: another worker has the alert. */
    async record(
      alert: TakenAlert,
      progress: Partial<Progress>,
      mail?: { owner: string; content: AlertContent },
    ): Promise<'recorded' | 'later' | 'lost'> {
      const steps = Object.entries(progress).map(([name, value]) => [`progress.${name}`, value]);
      try {
        return await inTransaction(db, async (session) => {
          const set = { $set: Object.fromEntries(steps) };
          if (!(await hasMatched(alerts.updateOne(taken(alert), set, { session })))) return 'lost';
          if (mail) await mails.addAlert(session, { user: alert.user, owner: mail.owner }, mail.content);
          return 'recorded';
        });
      } catch (error) {
        if (isDuplicate(error)) return 'later';
        throw error;
      }
    },

    /** Ends the lease. An alert with news since `take` is due at once. */
    async release({ news, ...alert }: TakenAlert, inMs: number): Promise<void> {
      const dueAt = { $cond: [{ $eq: ['$news', news] }, fromNow(inMs), '$$NOW'] };
      await alerts.updateOne(taken(alert), [{ $set: { leaseUntil: '$$NOW', dueAt } }]);
    },

    remove: async (id: string): Promise<void> => void (await alerts.deleteOne({ _id: new ObjectId(id) })),

    removeOf: async (user: string): Promise<void> =>
      void (await alerts.deleteMany({ user: new ObjectId(user) })),

    /** Undefined: it has ended. */
    async removeByCode(
      code: string,
    ): Promise<Pick<TakenAlert, 'user' | 'application' | 'settings'> | undefined> {
      const found = await alerts.findOneAndDelete({ code });
      return found ? toTaken(found) : undefined;
    },

    async codeOf(id: string): Promise<string | undefined> {
      return (await alerts.findOne({ _id: new ObjectId(id) }))?.code;
    },
  };
}
