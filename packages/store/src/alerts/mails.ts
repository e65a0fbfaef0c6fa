import { type ClientSession, type Db, ObjectId } from 'mongodb';
import { fromNow } from '../lease.ts';

export const mailsName = 'mails';

/** `confirm`, `invite` and `reset` bring a link with a code, which the worker that sends them issues. */
export type MailKind = 'alert' | 'confirm' | 'invite' | 'reset';

export const matters = ['refused', 'silence', 'jobs', 'failing', 'publications'] as const;
export type Matter = (typeof matters)[number];

/** What readers do not see in the API is not told to them. */
export const editorMatters: readonly Matter[] = ['refused', 'failing'];

/** What happened, as webhooks tell it. */
export interface AlertNews {
  type: string;
  data: Record<string, unknown>;
}

/** What a mail tells of an application. Nothing of payloads. */
export interface AlertContent {
  alert: string;
  matter: Matter;
  application: string;
  news: AlertNews[];
}

/** A mail of the outbox. */
export interface Mail {
  id: string;
  kind: MailKind;
  user: string;
  content?: AlertContent;
  /** How long its link works. */
  lifeMs?: number;
  attempts: number;
  createdAt: Date;
}

interface MailDocument extends Omit<Mail, 'id' | 'user'> {
  _id: string;
  user: ObjectId;
  /** The owner of the application; absent: no alert. */
  owner?: ObjectId;
  /** When it is tried next; absent: it was sent. */
  dueAt?: Date;
  expiresAt: Date;
}

/** How long an unsent mail is tried. */
export const triedMs = 86_400_000;
const hourMs = 3_600_000;
/** How many unsent alerts the applications of one owner may have. */
const mostWaiting = 200;

export type MailStore = ReturnType<typeof mailStore>;

/** The outbox: mails are sent at least once, unless that takes longer than a day. */
export function mailStore(db: Db) {
  const mails = db.collection<MailDocument>(mailsName);
  const fresh = (at: Date) => ({
    attempts: 0,
    createdAt: at,
    dueAt: new Date(0),
    expiresAt: new Date(at.getTime() + triedMs),
  });

  return {
    /** A mail with a link for a user; one of a kind waits at a time. */
    async add(kind: Exclude<MailKind, 'alert'>, user: string, lifeMs: number): Promise<void> {
      const _id = `${kind} ${user}`;
      const document = { ...fresh(new Date()), kind, user: new ObjectId(user), lifeMs };
      await mails.replaceOne({ _id }, document, { upsert: true });
    },

    /** Whether an owner has no room for another alert that waits. */
    isFull: async (owner: string): Promise<boolean> =>
      (await mails.countDocuments(
        { owner: new ObjectId(owner), dueAt: { $exists: true } },
        { limit: mostWaiting },
      )) === mostWaiting,

    /** One for each user, application, matter and hour: a second one throws. */
    async addAlert(
      session: ClientSession,
      { user, owner }: { user: string; owner: string },
      content: AlertContent,
    ): Promise<void> {
      const now = new Date();
      const hour = Math.floor(now.getTime() / hourMs);
      await mails.insertOne(
        {
          _id: `${content.matter} ${user} ${content.application} ${hour}`,
          kind: 'alert',
          user: new ObjectId(user),
          owner: new ObjectId(owner),
          content,
          ...fresh(now),
        },
        { session },
      );
    },

    /** Takes the mail that is due for longest, those with links first. For `leaseMs` no other worker takes it. */
    async take(leaseMs: number): Promise<Mail | undefined> {
      const isDue = { dueAt: { $exists: true }, $expr: { $lte: ['$dueAt', '$$NOW'] } };
      const taking = [{ $set: { dueAt: fromNow(leaseMs), attempts: { $add: ['$attempts', 1] } } }];
      const first = (of: object) =>
        mails.findOneAndUpdate({ ...isDue, ...of }, taking, { sort: { dueAt: 1 }, returnDocument: 'after' });
      const found =
        (await first({ owner: { $exists: false } })) ?? (await first({ owner: { $exists: true } }));
      if (!found) return undefined;
      const { _id, user, kind, content, lifeMs, attempts, createdAt } = found;
      return {
        id: _id,
        kind,
        user: user.toHexString(),
        ...(content && { content }),
        ...(lifeMs && { lifeMs }),
        attempts,
        createdAt,
      };
    },

    /** It was sent, or will never be. It stays for two hours, so that no second one of the same hour comes. */
    async end({ id, createdAt }: Pick<Mail, 'id' | 'createdAt'>): Promise<void> {
      await mails.updateOne({ _id: id, createdAt }, [
        { $set: { expiresAt: fromNow(2 * hourMs) } },
        { $unset: ['dueAt', 'content'] },
      ]);
    },

    /** It is tried again. */
    async retry({ id, createdAt }: Pick<Mail, 'id' | 'createdAt'>, inMs: number): Promise<void> {
      await mails.updateOne({ _id: id, createdAt, dueAt: { $exists: true } }, [
        { $set: { dueAt: fromNow(inMs) } },
      ]);
    },
  };
}
