import { type Db, type Document, ObjectId } from 'mongodb';

interface Places {
  collection: string;
  /** The member with the minutes. */
  silence: string;
  /** Who waits for silence. */
  waiting?: Document;
  /** Selects the webhooks or alerts that may be made due now. */
  ready?: Document;
}

/** The silences that webhooks or alerts wait for. */
export function silences(db: Db, { collection, silence, waiting = {}, ready = {} }: Places) {
  const all = db.collection(collection);

  return {
    /** The applications, each with the shortest silence that is waited for, in minutes. */
    async *watched(): AsyncGenerator<{ application: string; silence: number }> {
      const found = all.aggregate<{ _id: ObjectId; silence: number }>([
        { $match: { ...waiting, [silence]: { $gt: 0 } } },
        { $group: { _id: '$application', silence: { $min: `$${silence}` } } },
      ]);
      for await (const { _id, silence } of found) yield { application: _id.toHexString(), silence };
    },

    /** Makes each webhook or alert due that waits for at most so many minutes, and was not told of this silence. */
    async noteSilence(application: string, minutes: number, sinceMs: number): Promise<void> {
      const untold = {
        application: new ObjectId(application),
        [silence]: { $lte: minutes },
        'progress.toldSilence': { $ne: sinceMs },
      };
      const due = { dueAt: '$$NOW', news: { $add: ['$news', 1] } };
      await all.updateMany({ ...waiting, ...ready, ...untold }, [{ $set: due }]);
    },
  };
}
