import { type ClientSession, type Db, type Document, ObjectId } from 'mongodb';
import { UnconfirmedError } from '../faults.ts';
import { inSnapshot } from '../in-snapshot.ts';
import { hasMatched } from '../lease.ts';

interface HorizonDocument {
  _id: 'entries';
  /** Ms since the epoch, never set back. A new writer gives entries this time or a later one. */
  clock: number;
  /** The processes that store entries now. */
  writers: { id: ObjectId; openSince: number; at: Date }[];
  /** See `confirm`. */
  confirmedAt?: Date;
}

/** A chunk of an import. All its entries have the time `stamp`. */
interface StampedChunk {
  application: ObjectId;
  state: 'open' | 'done';
  fence: number;
  stamp?: number;
  /** The first version that announced older entries of it. */
  announced?: number;
}

export interface Publication {
  writer: ObjectId;
  /** Lower bound of the writer's undecided and future times, in ms since the epoch. A new writer uses the clock. */
  openSince?: number | undefined;
  /** The earliest time for the writer's next entry. */
  next: number;
}

/** How long an entry may be sent after the time in its reserved key. Backups expect entries within two minutes of their times. */
export const placesMs = 30_000;

/** See `HorizonStore.hold`. */
export interface Hold {
  /** False if the hold is over, or its time is too long ago. */
  renew(): Promise<boolean>;
  release(): Promise<void>;
}

export type HorizonStore = ReturnType<typeof horizonStore>;

/** The horizon: the time below which no new entry can appear. See docs/decisions/0022-forward-sync.md. */
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
      // Without a projection: MongoDB answers a repeated command without the fields that a projection computes.
      const found = await horizon.findOneAndUpdate({ _id }, change(next, isOther(writer), [entry]), {
        upsert: true,
        returnDocument: 'after',
      });
      const { clock, writers } = found as HorizonDocument;
      const own = writers.find(({ id }) => id.equals(writer)) as HorizonDocument['writers'][0];
      return { clock, now: own.at.getTime() };
    },

    /**
     * Keeps the horizon from rising above a time (ms since the epoch), until `release` or for a minute after the last `renew`. Undefined if the
     * horizon is above: then nothing new can appear at this time. Throws UnconfirmedError if it is below, and the time is too long ago.
     */
    async hold(time: number): Promise<Hold | undefined> {
      const writer = new ObjectId();
      const hold = change(0, isOther(writer), [{ id: writer, openSince: time, at: '$$NOW' }]);
      const isAbove = { $gt: [{ $min: ['$clock', { $min: '$writers.openSince' }] }, time] };
      const isRecent = { $lte: [{ $subtract: [{ $toLong: '$$NOW' }, time] }, placesMs] };
      const isHeld = async (condition: Document) =>
        (await horizon.updateOne({ _id, $expr: { $and: [isRecent, condition] } }, hold)).matchedCount === 1;
      if (await isHeld({ $not: isAbove }))
        return {
          renew: () => isHeld({ $in: [writer, '$writers.id'] }),
          release: () => this.leave({ writer, next: 0 }),
        };
      if ((await this.latest()) > time) return undefined;
      throw new UnconfirmedError('an earlier attempt may still be under way');
    },

    /** Removes a writer that has no insert under way. */
    async leave({ writer, next }: Publication): Promise<void> {
      await horizon.updateOne({ _id }, change(next, isOther(writer)));
    },

    /** Whether a writer published nothing since a time (ms since the epoch). */
    hasSilent: async (before: number): Promise<boolean> =>
      (await horizon.findOne(
        { _id, 'writers.at': { $lt: new Date(before) } },
        { projection: { _id: 1 } },
      )) !== null,

    /** Removes writers whose last publication is older than a time (ms since the epoch). Their inserts must be decided. */
    async removeSilent(before: number): Promise<void> {
      const bound = new Date(before);
      await horizon.updateOne(
        { _id, 'writers.at': { $lt: bound } },
        change(0, { $gte: ['$$this.at', bound] }),
      );
    },

    /** MongoDB's time in ms since the epoch, after a write that a majority confirmed. `mongos` can tell this time too. */
    async confirm(): Promise<number> {
      const confirming = [...change(0, { $literal: true }), { $set: { confirmedAt: '$$NOW' } }];
      const found = await horizon.findOneAndUpdate({ _id }, confirming, {
        upsert: true,
        returnDocument: 'after',
      });
      return ((found as HorizonDocument).confirmedAt as Date).getTime();
    },

    /** The horizon of uploads, in ms since the epoch. */
    latest(): Promise<number> {
      return this.inSnapshot(async (_session, final) => final);
    },

    /**
     * Reads in a snapshot; `read` may be called again. The snapshot has every upload that will ever have a time below `horizon` (ms since
     * the epoch). Open chunks may still store such entries: see `of`.
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

    /** The horizon of an application: that of uploads, or the lowest time (ms since the epoch) of an open chunk of an import. */
    async of(application: string, final: number, session?: ClientSession): Promise<number> {
      const found = await chunks.findOne(
        { application: new ObjectId(application), state: 'open', stamp: { $exists: true } },
        { sort: { stamp: 1 }, projection: { stamp: 1 }, session },
      );
      return Math.min(final, found?.stamp ?? final);
    },

    /** Whether an application gets no more entries of a time (ms since the epoch), but those that a later version than `announced` announces. */
    async hasPassed(application: string, time: number, announced: number): Promise<boolean> {
      if ((await this.latest()) <= time) return false;
      const open = { application: new ObjectId(application), state: 'open', stamp: { $lte: time } } as const;
      const isEarlier = { announced: { $not: { $gt: announced } } };
      return (await chunks.findOne({ ...open, ...isEarlier }, { projection: { _id: 1 } })) === null;
    },

    /** Lowers the horizon of an application to a time (ms since the epoch) until a chunk is done. False: the lease of the chunk is lost. */
    lower: (
      session: ClientSession,
      { id, fence }: { id: string; fence: number },
      since: number,
      version: number,
    ): Promise<boolean> =>
      hasMatched(
        chunks.updateOne(
          { _id: new ObjectId(id), state: 'open', fence },
          [{ $set: { stamp: { $min: ['$stamp', since] }, announced: { $ifNull: ['$announced', version] } } }],
          { session },
        ),
      ),
  };
}
