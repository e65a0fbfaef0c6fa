import { type ClientSession, type Db, ObjectId } from 'mongodb';

/** The lowest time (ms since the epoch) at which someone may still store entries of an import; undefined where there is none. */
export type OpenSince = (application: string, session?: ClientSession) => Promise<number | undefined>;

/** A chunk of an import whose entries have that time. */
interface StampedChunk {
  application: ObjectId;
  state: 'open' | 'done';
  stamp?: number;
}

export function openSince(db: Db): OpenSince {
  const chunks = db.collection<StampedChunk>('chunks');
  return async (application, session) => {
    const found = await chunks.findOne(
      { application: new ObjectId(application), state: 'open', stamp: { $exists: true } },
      { sort: { stamp: 1 }, projection: { stamp: 1 }, ...(session && { session }) },
    );
    return found?.stamp;
  };
}
