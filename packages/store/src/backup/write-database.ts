import type { Db, Document } from 'mongodb';
import { DocumentSequence } from 'mongodb/lib/cmap/commands.js';
import { type Block, operationsName } from './block.ts';
import { collectionNames } from './read-database.ts';

/** Estimated documents of each collection that is not empty, without the database's own notes. */
export async function contents(db: Db): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const name of await collectionNames(db)) {
    if (name === operationsName) continue;
    const collection = db.collection(name);
    // After a crash MongoDB's own count can be wrong, also 0.
    const count =
      (await collection.estimatedDocumentCount()) || (await collection.countDocuments({}, { limit: 1 }));
    if (count > 0) counts[name] = count;
  }
  return counts;
}

const operations = (db: Db) => db.collection<Document & { _id: string }>(operationsName);
const mark = { _id: 'restore' };

/** A restore is under way, or was interrupted. */
export class HalfRestored extends Error {}

export const isHalfRestored = async (db: Db): Promise<boolean> =>
  (await operations(db).findOne(mark)) !== null;

/** Throws HalfRestored while the database holds only part of a backup. */
export async function refuseHalfRestored(db: Db): Promise<void> {
  if (await isHalfRestored(db))
    throw new HalfRestored(
      'the database holds only part of a backup: wait for `sluice-admin restore`, or run it again with --force',
    );
}

interface RestoredDatabase {
  blocks: AsyncIterable<Block>;
  startedAt: Date;
  prepare(): Promise<void>;
  /** Changes the restored database before a service can use it. */
  finish(): Promise<void>;
}

/**
 * Replaces everything in the database by what is in a backup that was begun at `startedAt`. If `blocks` throws, or this process dies, no
 * service uses the database until another restore is complete.
 */
export async function writeDatabase(
  db: Db,
  { blocks, startedAt, prepare, finish }: RestoredDatabase,
): Promise<void> {
  await operations(db).updateOne(mark, { $set: { startedAt: new Date() } }, { upsert: true });
  for (const name of await collectionNames(db)) if (name !== operationsName) await db.dropCollection(name);
  await operations(db).deleteMany({ _id: { $ne: mark._id } });
  await prepare();
  let inserting: Promise<void> | undefined;
  for await (const block of blocks) {
    await inserting;
    inserting = insert(db, block);
    // It is looked at with the next block; until then it is no unhandled rejection.
    inserting.catch(() => {});
  }
  await inserting;
  // Entries that were read before their application was deleted and purged are there again: they go once more.
  const purgedMeanwhile = { purgedAt: { $gte: startedAt } };
  await db.collection('applications').updateMany(purgedMeanwhile, { $unset: { purgedAt: '' } });
  await finish();
  await operations(db).deleteOne(mark);
}

const duplicateKey = 11000;

async function insert(db: Db, { collection, documents }: Block): Promise<void> {
  const sequence = new DocumentSequence('documents');
  sequence.push({}, Buffer.concat(documents));
  const { w, journal, wtimeoutMS } = db.writeConcern ?? {};
  const writeConcern = { w, j: journal, wtimeout: wtimeoutMS };
  const reply = await db.command({ insert: collection, ordered: false, documents: sequence, writeConcern });
  const errors: { code: number }[] = reply.writeErrors ?? [];
  // Some entries are in a backup twice: see `readDatabase`. They are never changed.
  const failed = errors.find(({ code }) => !(collection === 'entries' && code === duplicateKey));
  if (failed || reply.writeConcernError)
    throw new Error(
      `MongoDB did not store a document of ${collection}: code ${failed?.code ?? 'of the write concern'}`,
    );
}
