import { type Db, ObjectId } from 'mongodb';
import type { JobDocument } from './job-records.ts';

type Kind = JobDocument['kind'];

export interface TurnDocument {
  _id: { kind: Kind; owner: ObjectId };
  at: Date;
}

/** Longer than anybody waits for a turn. */
const rememberedSeconds = 86_400;

export type TurnStore = ReturnType<typeof turnStore>;

/** When each owner last had a turn: jobs are gone when they are done, and it must be known who had one. */
export function turnStore(db: Db) {
  const turns = db.collection<TurnDocument>('turns');
  return {
    async prepare() {
      await turns.createIndex({ at: 1 }, { expireAfterSeconds: rememberedSeconds });
    },

    async note(kind: Kind, owner: string): Promise<void> {
      const _id = { kind, owner: new ObjectId(owner) };
      await turns.updateOne({ _id }, [{ $set: { at: '$$NOW' } }], { upsert: true });
    },

    /** Owner → when they last had a turn (ms since the epoch), of those given who had one. */
    async last(kind: Kind, owners: string[]): Promise<Map<string, number>> {
      const found = turns.find({
        _id: { $in: owners.map((owner) => ({ kind, owner: new ObjectId(owner) })) },
      });
      return new Map((await found.toArray()).map(({ _id, at }) => [_id.owner.toHexString(), at.getTime()]));
    },
  };
}
