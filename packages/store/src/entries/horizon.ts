import { type ClientSession, type Db, type Document, ObjectId } from 'mongodb';
import { inSnapshot } from '../in-snapshot.ts';

interface HorizonDocument {
  _id: 'entries';
  /** Ms since the epoch, never set back. A new writer gives entries this time or a later one. */
  clock: number;
  /** The processes that store entries now. */
  writers: { id: ObjectId; openSince: number; at: Date }[];
}

/** A chunk of an import. All its entries have the time `stamp`. */
interface StampedChunk {
  application: ObjectId;
  state: 'open' | 'done';
  stamp?: number;
}

export interface Publication {
  writer: ObjectId;
  /** No entry of the writer with an earlier time (ms since the epoch) is undecided or will be made; of one that begins, the clock. */
  openSince?: number | undefined;
  /** No entry that the writer will make has an earlier time. */
  next: number;
}

export type HorizonStore = ReturnType<typeof horizonStore>;

/** The time below which no entry can come any more; see docs/decisions/0022-forward-sync.md. */
export function horizonStore(db: Db) {
  const horizon = db.collection<HorizonDocument>('horizon');
  const chunks = db.collection<StampedChunk>('chunks');
  const _id = 'entries';

  /** One document, so that all changes have an order. */
  const change = (next: number, condition: Document, added: Document[] = []): Document[] => [
    { $set: { clock: { $max: ['$clock', { $toLong: '$$NOW' }, next] } } },
    {
      $set: {
        writers: {
          $concatArrays: [{ $filter: { input: { $ifNull: ['$writers', []] }, cond: condition } }, added],
        },
      },
    },
  ];
  const isOther = (writer: ObjectId) => ({ $ne: ['$$this.id', writer] });

  return {
    newWriter: () => new ObjectId(),

    /** Publishes how far a writer is. Returns the clock and MongoDB's time, in ms since the epoch. */
    async publish({ writer, openSince, next }: Publication): Promise<{ clock: number; now: number }> {
      const entry = { id: writer, openSince: openSince ?? '$clock', at: '$$NOW' };
      const found = await horizon.findOneAndUpdate({ _id }, change(next, isOther(writer), [entry]), {
        upsert: true,
        returnDocument: 'after',
        projection: { clock: 1, now: { $toLong: '$$NOW' } },
      });
      return found as unknown as { clock: number; now: number };
    },

    /** Removes a writer that has no insert under way. */
    async leave({ writer, next }: Publication): Promise<void> {
      await horizon.updateOne({ _id }, change(next, isOther(writer)));
    },

    /** Removes writers whose last publication is older than a time (ms since the epoch). Their inserts must be decided. */
    async removeSilent(before: number): Promise<void> {
      const bound = new Date(before);
      await horizon.updateOne(
        { _id, 'writers.at': { $lt: bound } },
        change(0, { $gte: ['$$this.at', bound] }),
      );
    },

    /** The horizon of uploads, in ms since the epoch. */
    latest(): Promise<number> {
      return this.inSnapshot(async (_session, final) => final);
    },

    /**
     * Reads in a snapshot; `read` may be called again. The snapshot has every upload that will ever have a time below `horizon` (ms since
     * the epoch). Open chunks may still store such entries: see `openSince`.
     */
    async inSnapshot<T>(read: (session: ClientSession, horizon: number) => Promise<T>): Promise<T> {
      for (;;) {
        const found = await inSnapshot(db, async (session) => {
          const document = await horizon.findOne({ _id }, { session });
          if (!document) return undefined;
          const { clock, writers } = document;
          return {
            value: await read(session, Math.min(clock, ...writers.map(({ openSince }) => openSince))),
          };
        });
        if (found) return found.value;
        await horizon.updateOne({ _id }, change(0, { $literal: true }), { upsert: true });
      }
    },

    /** The lowest time (ms since the epoch) with which open chunks of an import may still store entries. */
    async openSince(application: string, session?: ClientSession): Promise<number | undefined> {
      const found = await chunks.findOne(
        { application: new ObjectId(application), state: 'open', stamp: { $exists: true } },
        { sort: { stamp: 1 }, projection: { stamp: 1 }, ...(session && { session }) },
      );
      return found?.stamp;
    },
  };
}
