import { readFileSync } from 'node:fs';
import type { Document } from 'mongodb';
import { openCollection } from './collection.ts';

/**
 * The driver alone: `node insert-many.ts <MongoDB URL> <NDJSON file>`.
 * For each number of seconds that it receives, it answers with documents per second.
 */
const [url, file] = process.argv.slice(2) as [string, string];
const { entries, toDocument } = await openCollection(url);
const payloads: Document[] = readFileSync(file, 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line));
const callers = 2;

async function insertFor(seconds: number): Promise<number> {
  const began = performance.now();
  let stored = 0;
  let last = began;
  async function call() {
    while (performance.now() - began < seconds * 1_000) {
      const { insertedCount } = await entries.insertMany(payloads.map(toDocument), { ordered: false });
      stored += insertedCount;
      last = performance.now();
    }
  }
  await Promise.all(Array.from({ length: callers }, call));
  return (stored / (last - began)) * 1_000;
}

process.on('message', async (seconds: number) => process.send?.(await insertFor(seconds)));
process.once('disconnect', () => process.exit());
