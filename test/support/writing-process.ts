import type { EntryDocument } from '@sluice/store/entries/entry-document.ts';
import { createKeysAt, fromKey } from '@sluice/store/entries/entry-id.ts';
import { type HorizonStore, horizonStore } from '@sluice/store/entries/horizon.ts';
import { createWriter } from '@sluice/store/entries/writer.ts';
import type { Db } from 'mongodb';
import { expect, onTestFinished } from 'vitest';

/**
 * A process whose inserts stay under way as long as the test wants. `offMs`: MongoDB tells it a wrong time, as a member does whose clock is
 * off, and that is no primary any more.
 */
export function createProcess(
  { db, application }: { db: Db; application: string },
  { offMs = 0, ...options }: Parameters<typeof createWriter>[1] & { offMs?: number } = {},
) {
  const horizon = horizonStore(db);
  const publish: HorizonStore['publish'] = async (publication) => {
    const { clock, now } = await horizon.publish(publication);
    return { clock, now: now + offMs };
  };
  const writer = createWriter({ ...horizon, publish }, options);
  onTestFinished(writer.close);
  const newKey = createKeysAt();
  const entries = db.collection<EntryDocument>('entries');
  const durable = { writeConcern: { w: 'majority', journal: true } } as const;

  return {
    /** `end` resolves once the entry is acknowledged, or after `fault` was thrown. */
    async begin(): Promise<{ id: string; end(fault?: Error): Promise<void> }> {
      const begun = Promise.withResolvers<string>();
      const ended = Promise.withResolvers<Error | undefined>();
      const writing = writer.write(async (now) => {
        const key = newKey(Buffer.from(application, 'hex'), now());
        begun.resolve(fromKey(key).id);
        const fault = await ended.promise;
        if (fault) throw fault;
        await entries.insertOne({ _id: key, payload: {} }, durable);
      });
      writing.catch(begun.reject);
      const id = await begun.promise;
      return {
        id,
        end: (fault) => {
          ended.resolve(fault);
          return writing.catch((error) => expect(error).toBe(fault));
        },
      };
    },
  };
}
