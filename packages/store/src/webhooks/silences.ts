import { type Db, ObjectId } from 'mongodb';
import type { WebhookDocument } from './webhook-records.ts';

const forSilence = { state: 'active', events: 'entries.silent' } as const;

/** The webhooks that are told of silence. */
export function webhookSilences(db: Db) {
  const webhooks = db.collection<WebhookDocument>('webhooks');

  return {
    /** The applications whose silence webhooks wait for, each with the shortest one, in minutes. */
    async *watched(): AsyncGenerator<{ application: string; silence: number }> {
      const found = webhooks.aggregate<{ _id: ObjectId; silence: number }>([
        { $match: { ...forSilence, silence: { $gt: 0 } } },
        { $group: { _id: '$application', silence: { $min: '$silence' } } },
      ]);
      for await (const { _id, silence } of found) yield { application: _id.toHexString(), silence };
    },

    /** Makes those due that wait for such a silence and were not told of it. Silence does not shorten the wait after a failed try. */
    async noteSilence(application: string, minutes: number, sinceMs: number): Promise<void> {
      await webhooks.updateMany(
        {
          ...forSilence,
          application: new ObjectId(application),
          silence: { $lte: minutes },
          'progress.toldSilence': { $ne: sinceMs },
          isFailing: { $ne: true },
        },
        [{ $set: { dueAt: '$$NOW', news: { $add: ['$news', 1] } } }],
      );
    },
  };
}
