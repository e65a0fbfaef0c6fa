import { BSON, type ClientSession, type Collection, type Db, type Document, ObjectId } from 'mongodb';
import type { EntryDocument, StoredEntry } from '../entries/entry-document.ts';
import { type EntryId, idAfter, idOfKey, lastIdBefore, timeOfId, toKey } from '../entries/entry-id.ts';
import type { HorizonStore } from '../entries/horizon.ts';
import type { MilestoneStore } from '../entries/milestones.ts';
import { readDocument } from '../entries/read-document.ts';
import { type RefusedDocument, type RefusedRecord, toRefused } from '../refused/refused-records.ts';

/** Events per second of a stretch that a follower gets, within these bounds. */
const perSecond = 100;
const atLeast = 100;
const atMost = 1_000;
const mostBytes = 1024 ** 2;

/** How far someone has followed an application: up to these keys of its entries and of its refused uploads. */
export interface LivePlace {
  entries: EntryId;
  refused: EntryId;
}

export interface Stretch {
  application: string;
  after: EntryId;
  until: EntryId;
}

interface Keyed<Item> {
  key: EntryId;
  item: Item;
}

/** The newest of a stretch, oldest first; how many before them were left out, and the key of the last of those. */
export interface News<Item> {
  items: Keyed<Item>[];
  skipped?: { count: number; last: EntryId };
}

/** What there is at one moment. */
export interface Moment {
  /** Up to where nothing can come any more. */
  end(application: string): Promise<LivePlace>;
  entries(stretch: Stretch): Promise<News<StoredEntry>>;
  refused(stretch: Stretch): Promise<News<RefusedRecord>>;
}

interface Dependencies {
  milestones: Pick<MilestoneStore, 'countIn'>;
  horizon: HorizonStore;
}

function limitOf({ after, until }: Stretch): number {
  const seconds = (timeOfId(until).getTime() - timeOfId(after).getTime()) / 1_000;
  return Math.min(Math.max(Math.floor(perSecond * seconds), atLeast), atMost);
}

function readEntry(document: Uint8Array): Keyed<StoredEntry> {
  const item = readDocument(document);
  return { key: item.id, item };
}

function readRefused(document: Uint8Array): Keyed<RefusedRecord> {
  const found = BSON.deserialize(document) as RefusedDocument;
  return { key: idOfKey(found.stored), item: toRefused(found) };
}

export type LiveStore = ReturnType<typeof liveStore>;

/** What followers of applications get. See docs/decisions/0023-live.md. */
export function liveStore(db: Db, { milestones, horizon }: Dependencies) {
  const entries = db.collection<EntryDocument>('entries');
  const refused = db.collection<RefusedDocument>('refused');

  /** `field` has the keys. */
  async function newsOf<Item, Stored extends Document>(
    session: ClientSession,
    collection: Collection<Stored>,
    field: '_id' | 'stored',
    read: (document: Uint8Array) => Keyed<Item>,
    stretch: Stretch,
  ): Promise<{ items: Keyed<Item>[]; lastSkipped?: EntryId }> {
    const { application, after, until } = stretch;
    const limit = limitOf(stretch);
    const keys = { [field]: { $gt: toKey(application, after), $lte: toKey(application, until) } };
    const own = field === 'stored' ? { ...keys, application: new ObjectId(application) } : keys;
    const found = collection.find(own as object, { raw: true, session });
    const newestFirst = found.sort({ [field]: -1 }).limit(limit + 1);
    const items: Keyed<Item>[] = [];
    let bytes = 0;
    for await (const document of newestFirst as AsyncIterable<unknown> as AsyncIterable<Uint8Array>) {
      const next = read(document);
      bytes += document.length;
      const isTooMuch = items.length === limit || (items.length > 0 && bytes > mostBytes);
      if (isTooMuch) return { items: items.reverse(), lastSkipped: next.key };
      items.push(next);
    }
    return { items: items.reverse() };
  }

  const momentOf = (session: ClientSession, final: number): Moment => ({
    async end(application) {
      const until = (ms: number) => lastIdBefore(new Date(ms));
      return { entries: until(await horizon.of(application, final, session)), refused: until(final) };
    },

    async entries(stretch) {
      const { items, lastSkipped: last } = await newsOf(session, entries, '_id', readEntry, stretch);
      if (!last) return { items };
      const { application, after } = stretch;
      const end = { $lte: toKey(application, last) };
      const count = await milestones.countIn(session, application, end, toKey(application, idAfter(after)));
      return { items, skipped: { count, last } };
    },

    async refused(stretch) {
      const { items, lastSkipped: last } = await newsOf(session, refused, 'stored', readRefused, stretch);
      if (!last) return { items };
      const { application, after } = stretch;
      const stored = { $gt: toKey(application, after), $lte: toKey(application, last) };
      const own = { application: new ObjectId(application), stored };
      return { items, skipped: { count: await refused.countDocuments(own, { session }), last } };
    },
  });

  return {
    /** `work` may be called again. */
    atMoment: (work: (moment: Moment) => Promise<void>): Promise<void> =>
      horizon.inSnapshot((session, final) => work(momentOf(session, final))),
  };
}
