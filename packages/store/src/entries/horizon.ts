import { type ClientSession, type Db, type Document, ObjectId } from 'mongodb';

interface HorizonDocument {
  _id: 'entries';
  /** Ms since the epoch, never less than before. Who begins to store entries gives them this time or a later one. */
  clock: number;
  /** The processes that store entries now. */
  writers: { id: ObjectId; openSince: number; at: Date }[];
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

    /** Says how far a writer is; returns the clock, and MongoDB's time, in ms since the epoch. */
    async publish({ writer, openSince, next }: Publication): Promise<{ clock: number; now: number }> {
      const entry = { id: writer, openSince: openSince ?? '$clock', at: '$$NOW' };
      const found = await horizon.findOneAndUpdate({ _id }, change(next, isOther(writer), [entry]), {
        upsert: true,
        returnDocument: 'after',
        projection: { clock: 1, now: { $toLong: '$$NOW' } },
      });
      return found as unknown as { clock: number; now: number };
    },

    /** Takes a writer off that has nothing under way. */
    async leave({ writer, next }: Publication): Promise<void> {
      await horizon.updateOne({ _id }, change(next, isOther(writer)));
    },

    /** Takes the writers off that were last heard of before a time (ms since the epoch). What they sent must be decided. */
    async removeSilent(before: number): Promise<void> {
      const bound = new Date(before);
      await horizon.updateOne(
        { _id, 'writers.at': { $lt: bound } },
        change(0, { $gte: ['$$this.at', bound] }),
      );
    },

    /** Before the first writer. */
    async begin(): Promise<void> {
      await horizon.updateOne({ _id }, change(0, { $literal: true }), { upsert: true });
    },

    /**
     * In ms since the epoch. Of earlier uploads, what is in the snapshot of the session is all that there will be. Undefined before
     * `begin` and the first writer.
     */
    async read(session: ClientSession): Promise<number | undefined> {
      const projection = { clock: 1, 'writers.openSince': 1 };
      const found = await horizon.findOne({ _id }, { projection, session });
      return found ? Math.min(found.clock, ...found.writers.map(({ openSince }) => openSince)) : undefined;
    },
  };
}
