import { setTimeout as pause } from 'node:timers/promises';
import { UpgradeUnderWay } from '@sluice/store/migrations/incompatible-database.ts';
import { migrate } from '@sluice/store/migrations/migrate.ts';
import { LeaseLost } from '@sluice/store/under-lease.ts';
import { type Db, MongoClient } from 'mongodb';

/** Upgrades the database at argv[2] to version 3. The second step waits for a document in the collection `go`. */
const client = new MongoClient(process.argv[2] as string);
const begin = (db: Db, step: number) => db.collection('steps').insertOne({ step, pid: process.pid });
const migrations = [
  async (db: Db) => void (await begin(db, 1)),
  async (db: Db) => {
    await begin(db, 2);
    while (!(await db.collection('go').findOne())) await pause(20);
  },
];

for (;;) {
  try {
    await migrate(client.db(), migrations);
    break;
  } catch (error) {
    if (!(error instanceof LeaseLost) && !(error instanceof UpgradeUnderWay)) throw error;
    await client
      .db()
      .collection<{ _id: number }>('refused')
      .updateOne({ _id: process.pid }, { $inc: { count: 1 } }, { upsert: true });
    await pause(100);
  }
}
await client.close();
