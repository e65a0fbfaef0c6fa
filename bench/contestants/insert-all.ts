import { readFileSync } from 'node:fs';
import { connectStore } from '@sluice/jobs/connect.ts';
import { MongoClient, ObjectId } from 'mongodb';
import { entryDocument } from '../support/entry-document.ts';

/**
 * Like insert-many.ts, into Sluice's own collection: `node insert-all.ts <MongoDB URL> <NDJSON file>`.
 * For each number that it receives, it inserts as many documents, 1,000 in a call.
 */
const [url, file] = process.argv.slice(2) as [string, string];
const store = connectStore({ url, timeoutMs: 10_000 }, 'insert-all', 'patient');
await store.prepare();
await store.close();
const client = new MongoClient(url, { writeConcern: { w: 'majority', journal: true } });
const entries = client.db().collection<ReturnType<typeof entryDocument>>('entries');
const application = Buffer.from(new ObjectId().id);
const payloads: object[] = readFileSync(file, 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line));
const callers = 2;
const perCall = 1_000;

async function insert(count: number) {
  const began = performance.now();
  let left = count;
  let next = 0;
  let stored = 0;
  async function call() {
    while (left > 0) {
      const some = payloads.slice(next, next + Math.min(perCall, left));
      next = (next + some.length) % payloads.length;
      left -= some.length;
      const documents = some.map((payload) => entryDocument(application, Date.now(), payload));
      const { insertedCount } = await entries.insertMany(documents, { ordered: false });
      stored += insertedCount;
    }
  }
  await Promise.all(Array.from({ length: callers }, call));
  return { entries: stored, seconds: (performance.now() - began) / 1_000 };
}

process.on('message', async (count: number) => process.send?.(await insert(count)));
process.once('disconnect', () => process.exit());
