import { type Db, ObjectId } from 'mongodb';
import type { EntryId } from '../entries/entry-id.ts';

export const sourcesName = 'sources';

/** The newest entry of an application whose silence alerts or webhooks wait for. */
export interface SourceRecord {
  /** The newest entry that was seen; absent: there was none. */
  newest?: EntryId;
  /** When it was seen first, in ms of `Served`. */
  sinceMs: number;
  /** Whether it is silent for somebody. */
  isSilent?: boolean;
}

interface SourceDocument extends SourceRecord {
  _id: ObjectId;
}

export type SourceStore = ReturnType<typeof sourceStore>;

export function sourceStore(db: Db) {
  const sources = db.collection<SourceDocument>(sourcesName);

  return {
    async of(application: string): Promise<SourceRecord | undefined> {
      return (await sources.findOne({ _id: new ObjectId(application) })) ?? undefined;
    },

    /** By application; those that are unknown are absent. */
    async among(applications: string[]): Promise<Map<string, SourceRecord>> {
      const _id = { $in: applications.map((id) => new ObjectId(id)) };
      const found = await sources.find({ _id }).toArray();
      return new Map(found.map((source) => [source._id.toHexString(), source]));
    },

    async set(application: string, { newest, sinceMs, isSilent }: SourceRecord): Promise<void> {
      const source = { ...(newest !== undefined && { newest }), sinceMs, ...(isSilent && { isSilent }) };
      await sources.replaceOne({ _id: new ObjectId(application) }, source, { upsert: true });
    },

    /** Forgets all but these. */
    async keepOnly(applications: string[]): Promise<void> {
      await sources.deleteMany({ _id: { $nin: applications.map((id) => new ObjectId(id)) } });
    },

    countSilent: (): Promise<number> => sources.countDocuments({ isSilent: true }),
  };
}
