import { highestId, lowestId, toKey } from '@sluice/store/entries/entry-id.ts';
import { type Binary, MongoClient } from 'mongodb';

export interface Entry {
  _id: Binary;
  payload: Record<string, unknown>;
}

/** The entries of one application, oldest first: `node … <MongoDB URL> <application>`. */
export function openEntries([url, application]: string[]) {
  const entries = new MongoClient(url as string).db().collection<Entry>('entries');
  const id = application as string;
  return {
    entries,
    filter: { _id: { $gte: toKey(id, lowestId), $lte: toKey(id, highestId) } },
    sort: { _id: 1 } as const,
  };
}

/** Repeats the work at each message, and answers with the count and the time. */
export function onRead(read: () => Promise<number>): void {
  process.on('message', async () => {
    const began = performance.now();
    const entries = await read();
    process.send?.({ entries, seconds: (performance.now() - began) / 1_000 });
  });
  process.once('disconnect', () => process.exit());
}
