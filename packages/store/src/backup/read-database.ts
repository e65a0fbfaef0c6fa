import { BSON, type Db, type Document, ObjectId } from 'mongodb';
import { kept } from '../applications/deleted-applications.ts';
import { valid } from '../changes.ts';
import { deletionsName } from '../entries/deletion-guard.ts';
import { range } from '../entries/entry-range.ts';
import { isSnapshotLost } from '../faults.ts';
import { type Block, operationsName } from './block.ts';
import { patiently, rawPages } from './raw-pages.ts';

/** Uploads and parts of files arrive within two minutes of the time in their id. */
const finalAfterMs = 120_000;
/** A round that is quicker leaves little to the snapshot, which MongoDB keeps for five minutes. */
const shortRoundMs = 30_000;
/** Made again: by the ingest workers, and by who stores entries. */
const derived = ['milestones', 'horizon'];
/** Without what was revoked, and the note which backup stopped the balancer of a cluster. */
const filters: Record<string, Document> = {
  keys: valid,
  tokens: valid,
  [operationsName]: { _id: { $ne: 'balancer' } },
};

const majority = { level: 'majority' };

/** MongoDB no longer knows how the database was at the moment of the backup. */
export class SnapshotLost extends Error {}

interface Window {
  /** Ms since the epoch, whole seconds; `from` is included, `to` is not. */
  from: number;
  to?: number;
  readConcern: Document;
}

/** The collections of a database, without MongoDB's own. */
export async function collectionNames(db: Db): Promise<string[]> {
  const found = await db.listCollections({ type: 'collection' }, { nameOnly: true }).toArray();
  return found
    .map(({ name }) => name)
    .filter((name) => !name.startsWith('system.'))
    .sort();
}

/**
 * Reads the whole database as of one moment, and returns a time before that moment. `now` gives MongoDB's time in ms.
 * Throws SnapshotLost.
 *
 * Entries and parts of files never change, so old ones are read first, in rounds. One short snapshot has the rest.
 */
export async function* readDatabase(db: Db, now: () => Promise<number>): AsyncGenerator<Block, Date> {
  const began = await patiently(now);
  let from = 0;
  for (let last = Number.POSITIVE_INFINITY; ; ) {
    const start = performance.now();
    const to = await patiently(async () => finalUntil(db, (await now()) - finalAfterMs));
    if (to <= from) break;
    yield* entries(db, { from, to, readConcern: majority });
    yield* parts(db, { from, to, readConcern: majority });
    from = to;
    const took = performance.now() - start;
    if (took < shortRoundMs || took >= last) break;
    last = took;
  }
  const at = await patiently(now);
  yield* snapshot(db, from, began - finalAfterMs);
  return new Date(at);
}

/** No entry and no part with an earlier time comes any more. An import that is taken up again stores entries with the times of its open chunks. */
async function finalUntil(db: Db, time: number): Promise<number> {
  const open = { state: 'open', stamp: { $exists: true } };
  const oldest = await db
    .collection('chunks')
    .findOne(open, { sort: { stamp: 1 }, projection: { stamp: 1 } });
  return Math.floor(Math.min(time, oldest?.stamp ?? time) / 1_000) * 1_000;
}

/** The rounds read entries older than `from`. Applications that got older entries after `began` are read again as a whole. */
async function* snapshot(db: Db, from: number, began: number): AsyncGenerator<Block> {
  const names = await collectionNames(db);
  // Of a collection that is not there MongoDB does not tell the moment.
  const [some] = names;
  if (!some) throw new Error('the database has no collections: there is nothing to back up');
  try {
    const latest = { find: some, limit: 1, singleBatch: true, readConcern: { level: 'snapshot' } };
    const { atClusterTime } = (await patiently(() => db.command(latest))).cursor;
    const readConcern = { level: 'snapshot', atClusterTime };
    const whole = names.filter((name) => !['entries', 'parts', ...derived].includes(name));
    for (const name of whole) yield* rawPages(db, name, { filter: filters[name] ?? {}, readConcern });
    yield* entries(db, { from, readConcern });
    for (const id of await backdatedSince(db, began, readConcern))
      yield* rawPages(db, 'entries', { filter: range(id, { to: new Date(from) }), readConcern });
    yield* parts(db, { from, readConcern });
  } catch (error) {
    if (!isSnapshotLost(error)) throw error;
    throw new SnapshotLost(
      'MongoDB no longer has the moment of this backup: the last part of it took longer than minSnapshotHistoryWindowInSeconds (300 s), or the collections were changed; try again when less is written',
    );
  }
}

/** Applications to which an import brought entries that are older than when they were stored. */
async function backdatedSince(db: Db, began: number, readConcern: Document): Promise<string[]> {
  const filter = { backdatedAt: { $gte: new Date(began) } };
  const found: string[] = [];
  for await (const { documents } of rawPages(db, deletionsName, {
    filter,
    projection: { _id: 1 },
    readConcern,
  }))
    for (const document of documents) found.push((BSON.deserialize(document)._id as ObjectId).toHexString());
  return found;
}

/** Documents of applications that exist or can be restored. */
async function* entries(db: Db, { from, to, readConcern }: Window): AsyncGenerator<Block> {
  const period = { from: new Date(from), ...(to !== undefined && { to: new Date(to) }) };
  const withEntries = { filter: kept, projection: { _id: 1 }, readConcern };
  for await (const { documents } of rawPages(db, 'applications', withEntries))
    for (const document of documents) {
      const application = (BSON.deserialize(document)._id as ObjectId).toHexString();
      yield* rawPages(db, 'entries', { filter: range(application, period), readConcern });
    }
}

async function* parts(db: Db, { from, to, readConcern }: Window): AsyncGenerator<Block> {
  const idAt = (ms: number) => ObjectId.createFromTime(ms / 1_000);
  const _id = { $gte: idAt(from), ...(to !== undefined && { $lt: idAt(to) }) };
  yield* rawPages(db, 'parts', { filter: { _id }, readConcern });
}
