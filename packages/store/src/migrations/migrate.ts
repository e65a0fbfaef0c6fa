import { version as release } from '@sluice/shared/version.ts';
import type { Collection, Db } from 'mongodb';
import { operationsName } from '../backup/block.ts';
import { isDuplicate } from '../faults.ts';
import { claimed, fromNow, hasMatched, isFree } from '../lease.ts';
import { LeaseLost, type LeaseTimings, underLease } from '../under-lease.ts';
import { IncompatibleDatabase, UpgradeUnderWay } from './incompatible-database.ts';
import { currentVersion, type Migration, migrations as usual } from './migrations.ts';

interface SchemaDocument {
  _id: 'schema';
  /** Of the database. */
  version: number;
  fence: number;
  /** A process upgrades the database until then, and longer if it says so. */
  leaseUntil?: Date;
}

const _id = 'schema';
const timings: LeaseTimings = { leaseMs: 10_000, heartbeatMs: 500 };

/**
 * Brings the database to the version of this Sluice, step by step. Throws IncompatibleDatabase when the database is newer. Rejects
 * while another process upgrades it: then try again.
 */
export async function migrate(db: Db, migrations: Migration[] = usual, leases = timings): Promise<void> {
  const operations = db.collection<SchemaDocument>(operationsName);
  const current = currentVersion(migrations);
  const version = await versionOf(db, operations, current);
  if (version === current) return;
  if (version > current)
    throw new IncompatibleDatabase(
      `the database has version ${version}, but Sluice ${release()} knows only version ${current}: start the newer Sluice again, or restore a backup of before the upgrade`,
    );
  const lease = await claim(operations, current, leases.leaseMs);
  if (!lease) throw new UpgradeUnderWay('another process upgrades the database: wait until it has done so');
  await upgrade(db, operations, { lease, migrations, leases });
}

/** An empty database gets the current version; one from before there were versions has the first. */
async function versionOf(db: Db, operations: Collection<SchemaDocument>, current: number): Promise<number> {
  const found = await operations.findOne({ _id });
  if (found) return found.version;
  const others = await db.listCollections({ name: { $ne: operationsName } }, { nameOnly: true }).toArray();
  const first = { version: others.length === 0 ? current : 1, fence: 0 };
  try {
    await operations.updateOne({ _id }, { $setOnInsert: first }, { upsert: true });
  } catch (error) {
    if (!isDuplicate(error)) throw error;
  }
  return versionOf(db, operations, current);
}

type Claimed = Pick<SchemaDocument, 'version' | 'fence'>;

/** Undefined while another process has the lease, and when there is nothing to upgrade any more. */
async function claim(
  operations: Collection<SchemaDocument>,
  current: number,
  leaseMs: number,
): Promise<Claimed | undefined> {
  const { fence, leaseUntil } = claimed(leaseMs);
  const found = await operations.findOneAndUpdate(
    { _id, version: { $lt: current }, $expr: isFree },
    [{ $set: { fence, leaseUntil } }],
    { returnDocument: 'after' },
  );
  return found ?? undefined;
}

interface Upgrade {
  lease: Claimed;
  migrations: Migration[];
  leases: LeaseTimings;
}

async function upgrade(
  db: Db,
  operations: Collection<SchemaDocument>,
  { lease: { version, fence }, migrations, leases }: Upgrade,
): Promise<void> {
  const own = { _id, fence } as const;
  const renew = () =>
    hasMatched(operations.updateOne(own, [{ $set: { leaseUntil: fromNow(leases.leaseMs) } }]));
  await underLease(renew, leases, async (lease) => {
    for (const [at, migration] of migrations.entries()) {
      if (at + 1 < version) continue;
      lease.check();
      await migration(db);
      if (!(await hasMatched(operations.updateOne(own, { $set: { version: at + 2 } }))))
        throw new LeaseLost();
    }
  });
  await operations.updateOne(own, { $unset: { leaseUntil: '' } });
}
