import type { EntryDocument } from '@sluice/store/entries/entry-document.ts';
import { createKeysAt, fromKey } from '@sluice/store/entries/entry-id.ts';
import { horizonStore } from '@sluice/store/entries/horizon.ts';
import { createWriter } from '@sluice/store/entries/writer.ts';
import type { Db } from 'mongodb';
import { expect, onTestFinished } from 'vitest';

/** A process whose inserts stay under way as long as the test wants. */
export function createProcess(
  { db, application }: { db: Db; application: string },
  options: Parameters<typeof createWriter>[1] = {},
) {
  const writer = createWriter(horizonStore(db), options);
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
