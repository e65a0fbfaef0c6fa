import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Block } from '@sluice/store/backup/block.ts';
import { shardKeys } from '@sluice/store/sharding/collections.ts';
import { MongoClient } from 'mongodb';
import { describe, expect, it, onTestFinished } from 'vitest';
import { admin } from '../support/admin-command.ts';
import { doctor } from '../support/doctor.ts';
import { mayScatter } from '../support/mongos/scattered.ts';
import { startMongos } from '../support/mongos/start-mongos.ts';
import { openStore, ownDatabase } from '../support/own-database.ts';
import { payloadOf } from '../support/payload-of.ts';
import { ownStores } from '../support/sluice.ts';

const owner = { id: 'b'.repeat(24), username: 'b' };
const fields = { name: 'a', type: 'other', connectors: [], rawSchema: '{}', owner };

/** A database as services make it, on a cluster that nobody has sharded. */
async function start() {
  const { db, url } = await ownDatabase();
  const mongos = await startMongos({ url, mayScatter });
  onTestFinished(mongos.stop);
  const client = new MongoClient(mongos.url);
  onTestFinished(() => client.close());
  const store = openStore(mongos.url);
  await store.prepare();
  return {
    db,
    mongos,
    store,
    env: { ...ownStores(), MONGODB_URL: mongos.url },
    command: (command: object) => client.db('admin').command(command),
    async application(domain: string): Promise<string> {
      const { id } = (await store.applications.create({ ...fields, domain })) as { id: string };
      await store.entries.insert([{ application: id, ...payloadOf({ n: 1 }) }]);
      return id;
    },
  };
}

/** Entries have a unique index for idempotency keys, which no cluster can hold. */

const linesOf = (stdout: string) => stdout.trimEnd().split('\n');

/** A folder that is removed when the test ends. */
function tempFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-shard-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

describe('sluice-admin shard', () => {
  it('refuses a replica set, and says what to do', async () => {
    const { url: MONGODB_URL } = await ownDatabase();
    const { code, stdout, stderr } = await admin({ ...ownStores(), MONGODB_URL }, ['shard']);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^sluice-admin: MongoDB is no cluster: .* name mongos in MONGODB_URL; see docs/);
  });

  it('shards all that grows, once, and says what it did', async () => {
    const { env, application } = await start();
    await application('one');
    await application('other');
    const first = await admin(env, ['shard']);
    expect(first).toMatchObject({ code: 0, stderr: '' });
    expect(linesOf(first.stdout)).toEqual([
      'ok    the cluster has the shards shard-a, shard-b',
      ...Object.entries(shardKeys).map(([name, key]) => `done  ${name} is sharded by ${JSON.stringify(key)}`),
      'done  entries: 2 of 2 applications have a range of their own (2 new)',
    ]);
    await application('third');
    const second = await admin(env, ['shard']);
    expect(linesOf(second.stdout)).toEqual([
      'ok    the cluster has the shards shard-a, shard-b',
      ...Object.entries(shardKeys).map(([name, key]) => `ok    ${name} is sharded by ${JSON.stringify(key)}`),
      'done  entries: 3 of 3 applications have a range of their own (1 new)',
    ]);
  });

  it('drops an index that a cluster cannot keep unique', async () => {
    const { env, db } = await start();
    await db.collection('entries').createIndex({ 'payload.n': 1 }, { unique: true, name: 'own' });
    expect((await doctor(env)).found['sharded collections']).toMatchObject({
      level: 'fail',
      message: expect.stringContaining('entries has the unique index own'),
    });
    expect(linesOf((await admin(env, ['shard'])).stdout)).toContain(
      'done  entries: dropped the index own, which shards cannot keep unique',
    );
    expect((await doctor(env)).found['sharded collections']).toMatchObject({ level: 'ok' });
  });

  it('refuses a collection that is sharded by another key', async () => {
    const { env, db, command } = await start();
    await command({ shardCollection: `${db.databaseName}.batches`, key: { application: 1 } });
    const { code, stderr } = await admin(env, ['shard']);
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/^sluice-admin: batches is sharded by {"application":1}, and must be by /),
    ]);
  });

  it('refuses to split what is not there', async () => {
    const { env } = await start();
    const { code, stderr } = await admin(env, ['shard', '--split', 'nothing']);
    expect([code, stderr]).toEqual([1, expect.stringContaining('application nothing was not found')]);
  });
});

describe('sluice-admin doctor on a cluster', () => {
  it('names what is not sharded, and the command that mends it', async () => {
    const { env } = await start();
    const { code, found } = await doctor(env);
    expect(code).toBe(1);
    expect(found['sharded collections']).toEqual({
      level: 'fail',
      message: `${Object.keys(shardKeys)
        .map((name) => `${name} is not sharded`)
        .join(', ')}: run \`sluice-admin shard\``,
    });
    expect(found).toMatchObject({
      cluster: { level: 'ok', message: 'its shards: shard-a, shard-b' },
      balancer: { level: 'ok', message: 'it runs' },
    });
    expect(found).not.toHaveProperty('replica set');
  });

  it('says who stopped the balancer', async () => {
    const { env, store, command } = await start();
    await command({ balancerStop: 1 });
    const stopped = (await doctor(env)).found.balancer;
    expect(stopped).toMatchObject({ level: 'warn', message: expect.stringContaining('sh.startBalancer()') });
    await command({ balancerStart: 1 });
    await store.backup.read().next();
    const resting = (await doctor(env)).found.balancer;
    expect(resting).toMatchObject({ level: 'warn', message: expect.stringMatching(/^a backup stopped it/) });
  });
});

describe('a backup of a cluster', () => {
  const isBalancing = async ({ command }: Awaited<ReturnType<typeof start>>) =>
    (await command({ balancerStatus: 1 })).mode === 'full';

  it('leaves the balancer as it was', async () => {
    const cluster = await start();
    await cluster.application('one');
    for (const mode of ['balancerStart', 'balancerStop']) {
      await cluster.command({ [mode]: 1 });
      const reading = cluster.store.backup.read();
      await reading.next();
      expect(await isBalancing(cluster)).toBe(false);
      for await (const _ of reading);
      expect(await isBalancing(cluster)).toBe(mode === 'balancerStart');
    }
  });

  it('starts a balancer that a backup before it stopped and left', async () => {
    const cluster = await start();
    await cluster.application('one');
    await cluster.store.backup.read().next();
    for await (const _ of cluster.store.backup.read());
    expect(await isBalancing(cluster)).toBe(true);
  });

  it('has all, and leaves the balancer as it was, while shards fail', async () => {
    const cluster = await start();
    const { store, mongos, application } = cluster;
    const ids = [await application('one'), await application('other')];
    const startedAt = await store.backup.now();
    const reading = store.backup.read();
    const blocks = [(await reading.next()).value as Block];
    const faults = mongos.fail({ seed: 1, oneIn: 3 });
    for await (const block of reading) blocks.push(block);
    mongos.heal();
    expect(Object.values(faults).reduce((sum, count) => sum + count, 0)).toBeGreaterThan(5);
    expect(await isBalancing(cluster)).toBe(true);
    const other = await start();
    async function* all() {
      yield* blocks;
    }
    await other.store.backup.restore(all(), startedAt);
    for (const id of ids) expect(await other.store.entries.count(id, {})).toBe(1);
  });

  it('fills another cluster, sharded, and a replica set', async () => {
    const { env, db, application } = await start();
    const id = await application('one');
    await admin(env, ['shard']);
    const file = join(tempFolder(), 'cluster.backup');
    expect(await admin(env, ['backup', '--to', file])).toMatchObject({ code: 0 });
    const other = await start();
    const restored = await admin(other.env, ['restore', file, '--force']);
    expect(restored).toMatchObject({ code: 0, stderr: expect.stringContaining('Run `sluice-admin shard`') });
    expect(await other.store.entries.count(id, {})).toBe(1);
    const [mine, theirs] = await Promise.all(
      [db, other.db].map((one) => one.collection('entries').find().toArray()),
    );
    expect(theirs).toEqual(mine);
    expect((await doctor(other.env)).found).toMatchObject({
      'sharded collections': { level: 'ok' },
      balancer: { level: 'ok' },
    });
    const { db: single, url: MONGODB_URL } = await ownDatabase();
    expect(await admin({ ...other.env, MONGODB_URL }, ['restore', file])).toMatchObject({ code: 0 });
    expect(await single.collection('entries').find().toArray()).toEqual(mine);
  });
});
