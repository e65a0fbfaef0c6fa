import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import type { Db } from 'mongodb';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openStore, ownDatabase } from '../../../../test/support/own-database.ts';
import { processEnv } from '../../../../test/support/process-env.ts';
import { exitOf } from '../../../../test/support/service-process.ts';
import { until } from '../../../../test/support/sluice.ts';
import { IncompatibleDatabase } from './incompatible-database.ts';
import { migrate } from './migrate.ts';
import type { Migration } from './migrations.ts';

const program = join(import.meta.dirname, '../../../../test/support/migrating-process.ts');

function start(url: string): ChildProcess {
  const child = spawn(process.execPath, [program, url], { env: processEnv({}), stdio: 'inherit' });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

const schemaOf = (db: Db) => db.collection<{ _id: string }>('operations').findOne({ _id: 'schema' });
const stepsOf = async (db: Db) =>
  (await db.collection('steps').find().sort({ _id: 1 }).toArray()).map(({ step, pid }) => ({ step, pid }));

/** A migration that notes that it ran. */
const noting =
  (name: string): Migration =>
  async (db) =>
    void (await db.collection('notes').insertOne({ name }));
const notesOf = async (db: Db) => (await db.collection('notes').find().toArray()).map(({ name }) => name);

describe('the version of a database', () => {
  it('is the current one from the start when the database is empty', async () => {
    const { db } = await ownDatabase();
    await migrate(db, [noting('a'), noting('b')]);
    expect(await schemaOf(db)).toEqual({ _id: 'schema', version: 3, fence: 0 });
    expect(await notesOf(db)).toEqual([]);
  });

  it('is 1 when the database is from before there were versions, and every step is made once', async () => {
    const { db } = await ownDatabase();
    await db.collection('users').insertOne({ usernameKey: 'ada' });
    await migrate(db, []);
    expect(await schemaOf(db)).toMatchObject({ version: 1 });
    await migrate(db, [noting('a')]);
    await migrate(db, [noting('a'), noting('b'), noting('c')]);
    await migrate(db, [noting('a'), noting('b'), noting('c')]);
    expect(await notesOf(db)).toEqual(['a', 'b', 'c']);
    expect(await schemaOf(db)).toEqual({ _id: 'schema', version: 4, fence: 2 });
  });

  it('stays that of the last whole step when a step fails, and the next try goes on there', async () => {
    const { db } = await ownDatabase();
    await db.collection('users').insertOne({ usernameKey: 'ada' });
    const failing: Migration = async () => {
      throw new Error('no room');
    };
    // A short lease: the one of a process that failed is waited for.
    const leases = { leaseMs: 500, heartbeatMs: 100 };
    await expect(migrate(db, [noting('a'), failing], leases)).rejects.toThrow('no room');
    expect(await schemaOf(db)).toMatchObject({ version: 2 });
    await until(() =>
      migrate(db, [noting('a'), noting('b')], leases).then(
        () => true,
        () => false,
      ),
    );
    expect(await notesOf(db)).toContain('b');
    expect((await notesOf(db)).filter((name) => name === 'a')).toEqual(['a']);
  });

  it('is made by the services', async () => {
    const { db, url } = await ownDatabase();
    await openStore(url).prepare();
    expect(await schemaOf(db)).toEqual({ _id: 'schema', version: 1, fence: 0 });
  });

  it('is refused when it is newer, and nothing is changed', async () => {
    const { db } = await ownDatabase();
    const schema = { _id: 'schema', version: 3, fence: 2 };
    await db.collection<typeof schema>('operations').insertOne(schema);
    const refused = migrate(db, [noting('a')]);
    await expect(refused).rejects.toThrow(IncompatibleDatabase);
    await expect(refused).rejects.toThrow(/^the database has version 3, but Sluice .* knows only version 2/);
    expect(await schemaOf(db)).toEqual(schema);
    expect(await notesOf(db)).toEqual([]);
  });
});

it('one process upgrades at a time, and another goes on when it is killed', async () => {
  const { db, url } = await ownDatabase();
  await db.collection('users').insertOne({ usernameKey: 'ada' });
  const children = [start(url), start(url)];
  await until(async () => (await db.collection('refused').countDocuments()) === 1);
  await until(async () => (await stepsOf(db)).length === 2);
  const [first] = await stepsOf(db);
  const killed = children.find(({ pid }) => pid === first?.pid);
  const other = children.find(({ pid }) => pid !== first?.pid);
  expect(await stepsOf(db)).toEqual([
    { step: 1, pid: killed?.pid },
    { step: 2, pid: killed?.pid },
  ]);

  killed?.kill('SIGKILL');
  await until(async () => (await stepsOf(db)).length === 3);
  expect((await stepsOf(db)).at(-1)).toEqual({ step: 2, pid: other?.pid });
  expect(await schemaOf(db)).toMatchObject({ version: 2 });

  await db.collection('go').insertOne({});
  expect(await exitOf(other as ChildProcess)).toBe(0);
  expect(await schemaOf(db)).toEqual({ _id: 'schema', version: 3, fence: 2 });
});
