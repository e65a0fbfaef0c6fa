import { setTimeout as pause } from 'node:timers/promises';
import { firstBatch } from '@sluice/bson/documents.ts';
import { BSON, type Db, type Document } from 'mongodb';
import { storeFault } from '../faults.ts';
import type { Block } from './block.ts';

/** Documents of a page. MongoDB ends one at 16 MB. */
const pageSize = 2_000;
/** As long as an election may take, and more. */
const patienceMs = 60_000;
const pauseMs = 500;

/** Reads a page again when MongoDB changes its primary, so nothing is left out. */
export async function patiently<T>(read: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    try {
      return await read();
    } catch (error) {
      if (!storeFault(error) || performance.now() > deadline) throw error;
      await pause(pauseMs);
    }
  }
}

/** The documents of a collection in the order of their ids, which all have the same type. */
export async function* rawPages(
  db: Db,
  collection: string,
  { filter, ...query }: { filter: Document; readConcern: Document; projection?: Document },
): AsyncGenerator<Block> {
  let wanted = filter;
  for (;;) {
    const command = {
      find: collection,
      filter: wanted,
      sort: { _id: 1 },
      ...query,
      limit: pageSize,
      batchSize: pageSize,
      singleBatch: true,
    };
    const reply = await patiently(() => db.command(command, { raw: true } as object));
    const documents = firstBatch((reply as { cursor: Uint8Array }).cursor);
    const last = documents.at(-1);
    if (!last) return;
    yield { collection, documents };
    wanted = { $and: [filter, { _id: { $gt: BSON.deserialize(last)._id } }] };
  }
}
