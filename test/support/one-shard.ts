import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { onTestFinished } from 'vitest';
import { createChildren } from '../../local/children.ts';
import { freePort } from '../../local/ports.ts';
import { ramDisk } from './ram-disk.ts';
import { findProgram, memberArgs } from './replica-set.ts';
import { until } from './sluice.ts';

/** Config servers and a shard of MongoDB, as far as they run without `mongos`; returns the address of the shard. Call in a test. */
export async function startOneShard(): Promise<string> {
  const dir = mkdtempSync(join(ramDisk(), 'sluice-shard-'));
  const children = createChildren(join(dir, 'run'));
  onTestFinished(async () => {
    await children.stopAll();
    rmSync(dir, { recursive: true, force: true });
  });
  const program = await findProgram(children);

  async function start(set: string, role: string) {
    const port = await freePort();
    const dbpath = join(dir, set);
    mkdirSync(dbpath);
    children.start({
      name: `mongod-${set}`,
      rank: 1,
      command: program,
      args: [role, ...memberArgs({ set, dbpath, port })],
      stdio: 'ignore',
    });
    const host = `127.0.0.1:${port}`;
    const options = { directConnection: true, serverSelectionTimeoutMS: 60_000 };
    const client = new MongoClient(`mongodb://${host}`, options);
    onTestFinished(() => client.close());
    const admin = client.db('admin');
    const configsvr = role === '--configsvr' ? { configsvr: true } : {};
    await admin.command({ replSetInitiate: { _id: set, ...configsvr, members: [{ _id: 0, host }] } });
    await until(async () => (await admin.command({ hello: 1 })).isWritablePrimary);
    return { admin, host };
  }

  const [{ admin }, { host }] = await Promise.all([
    start('config', '--configsvr'),
    start('rs0', '--shardsvr'),
  ]);
  // What `mongos` sends for addShard.
  await admin.command({ _configsvrAddShard: `rs0/${host}`, writeConcern: { w: 'majority' } });
  return host;
}
