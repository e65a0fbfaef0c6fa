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

/** Repeats the work at each message, and answers with the count, the time and the processor time. */
export function onRead(read: () => Promise<number>): void {
  process.on('message', async () => {
    const began = performance.now();
    const before = process.cpuUsage();
    const entries = await read();
    const { user, system } = process.cpuUsage(before);
    const seconds = (performance.now() - began) / 1_000;
    process.send?.({ entries, seconds, cpu: (user + system) / 1e6 });
  });
  process.once('disconnect', () => process.exit());
}
