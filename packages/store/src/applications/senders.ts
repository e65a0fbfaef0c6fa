import type { SenderMeta } from '@sluice/tables/columns.ts';
import { type Db, ObjectId } from 'mongodb';
import type { UserDocument } from '../accounts/user-document.ts';
import type { StoredEntry } from '../entries/entry-document.ts';
import { isDuplicate } from '../faults.ts';

/** How an entry came. */
export const sources = ['upload', 'batch', 'import', 'replay'] as const;
export type SenderSource = (typeof sources)[number];

/** Who sent an entry, and how. Ids are hexadecimal digits. */
export interface Sender {
  source: SenderSource;
  /** Id of the ingest key; of a replay, the key that sent the refused upload. */
  key?: string | undefined;
  /** Id of the user whose personal token sent it. */
  user?: string | undefined;
  /** Id of the import or replay. */
  job?: string | undefined;
}

/** As answers and files show a sender. `by`: the id of the import or replay, else the username of the personal token's user. */
export type SenderTexts = Partial<Record<SenderMeta, string>>;

interface SenderDocument {
  _id: ObjectId;
  application: ObjectId;
  /** From 1. */
  number: number;
  source: SenderSource;
  key: ObjectId | null;
  user: ObjectId | null;
  job: ObjectId | null;
}

/** Senders that memory keeps. A number always means the same sender. */
const most = 50_000;
const [lowest, highest] = [new ObjectId('0'.repeat(24)), new ObjectId('f'.repeat(24))];
const toId = (id: string | undefined) => (id === undefined ? null : new ObjectId(id));

const toSender = ({ source, key, user, job }: SenderDocument): Sender => ({
  source,
  ...(key && { key: key.toHexString() }),
  ...(user && { user: user.toHexString() }),
  ...(job && { job: job.toHexString() }),
});

const upload: Sender = { source: 'upload' };

function keep<Value>(cache: Map<string, Value>, name: string, value: Value): void {
  if (cache.size >= most) cache.clear();
  cache.set(name, value);
}

export type SenderStore = ReturnType<typeof senderStore>;

/** Numbers the senders of each application, so that an entry names its sender in 8 bytes. 0 is a single upload without a key. */
export function senderStore(db: Db) {
  const senders = db.collection<SenderDocument>('senders');
  const users = db.collection<UserDocument>('users');
  const numbers = new Map<string, number>();
  const known = new Map<string, Sender>();

  async function record(application: string, { source, key, user, job }: Sender): Promise<number> {
    const ofApplication = { application: new ObjectId(application) };
    const who = { ...ofApplication, source, key: toId(key), user: toId(user), job: toId(job) };
    for (;;) {
      const found = await senders.findOne(who, { projection: { number: 1 } });
      if (found) return found.number;
      const last = await senders.findOne(ofApplication, { sort: { number: -1 }, projection: { number: 1 } });
      const number = (last?.number ?? 0) + 1;
      try {
        await senders.insertOne({ _id: new ObjectId(), ...who, number });
        return number;
      } catch (error) {
        // Another process was quicker.
        if (!isDuplicate(error)) throw error;
      }
    }
  }

  /** The senders of some numbers. */
  async function byNumber(application: string, wanted: Iterable<number>): Promise<Map<number, Sender>> {
    const found = new Map<number, Sender>();
    const missing: number[] = [];
    for (const number of new Set(wanted)) {
      const sender = number === 0 ? upload : known.get(`${application} ${number}`);
      if (sender) found.set(number, sender);
      else missing.push(number);
    }
    if (missing.length === 0) return found;
    const those = { application: new ObjectId(application), number: { $in: missing } };
    for await (const document of senders.find(those)) {
      const sender = toSender(document);
      keep(known, `${application} ${document.number}`, sender);
      found.set(document.number, sender);
    }
    return found;
  }

  async function usernamesOf(found: Iterable<Sender>): Promise<Map<string, string>> {
    const ids = new Set(Array.from(found).flatMap(({ user }) => user ?? []));
    if (ids.size === 0) return new Map();
    const those = users.find({ _id: { $in: Array.from(ids, (id) => new ObjectId(id)) } });
    const named = await those.project<Pick<UserDocument, '_id' | 'username'>>({ username: 1 }).toArray();
    return new Map(named.map(({ _id, username }) => [_id.toHexString(), username]));
  }

  /** The wanted texts of some numbers. */
  async function texts(
    application: string,
    numbers: Iterable<number>,
    wanted: readonly SenderMeta[],
  ): Promise<Map<number, SenderTexts>> {
    const found = await byNumber(application, numbers);
    const usernames = wanted.includes('by') ? await usernamesOf(found.values()) : undefined;
    const toTexts = ({ source, key, user, job }: Sender): SenderTexts => {
      const all = { source, key, by: job ?? (user && usernames?.get(user)) };
      return Object.fromEntries(wanted.flatMap((name) => (all[name] ? [[name, all[name]]] : [])));
    };
    return new Map(Array.from(found, ([number, sender]) => [number, toTexts(sender)]));
  }

  /** With all sources, so that the index finds those with the key. */
  const sentBy = (application: string, key: ObjectId | { $gte: ObjectId; $lte: ObjectId }) => ({
    application: new ObjectId(application),
    source: { $in: [...sources] },
    key,
  });

  return {
    /** The number of a sender; resolves once it is durable. Call it before the transaction that stores the entry. */
    async numberOf(application: string, sender: Sender): Promise<number> {
      const { source, key, user, job } = sender;
      if (source === 'upload' && !key && !user) return 0;
      const name = `${application} ${source} ${key} ${user} ${job}`;
      const seen = numbers.get(name);
      if (seen !== undefined) return seen;
      const number = await record(application, sender);
      keep(numbers, name, number);
      return number;
    },

    byNumber,
    texts,

    /** Says of each of some entries who sent it. */
    async textsOf(
      application: string,
      entries: Pick<StoredEntry, 'by'>[],
      wanted: readonly SenderMeta[],
    ): Promise<(entry: Pick<StoredEntry, 'by'>) => SenderTexts> {
      if (wanted.length === 0) return () => ({});
      const numbers = entries.map(({ by = 0 }) => by);
      const found = await texts(application, numbers, wanted);
      return ({ by = 0 }) => found.get(by) ?? {};
    },

    /** The ingest key of each sender that has one, by the sender's number. */
    async keys(application: string): Promise<Map<number, string>> {
      const found = senders.find(sentBy(application, { $gte: lowest, $lte: highest }));
      const keys = await found.project<{ number: number; key: ObjectId }>({ number: 1, key: 1 }).toArray();
      return new Map(keys.map(({ number, key }) => [number, key.toHexString()]));
    },

    /** The numbers under which an ingest key has sent. */
    async ofKey(application: string, key: string): Promise<number[]> {
      const those = sentBy(application, new ObjectId(key));
      const found = await senders.find(those).project<{ number: number }>({ number: 1 }).toArray();
      return found.map(({ number }) => number);
    },
  };
}
