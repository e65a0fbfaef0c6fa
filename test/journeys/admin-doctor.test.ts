import { ObjectId } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { admin, adminProcess } from '../support/admin-command.ts';
import { doctor } from '../support/doctor.ts';
import { openStore, ownDatabase } from '../support/own-database.ts';
import { ownStores } from '../support/sluice.ts';

/** A database as services make it. */
async function start() {
  const { db, url: MONGODB_URL } = await ownDatabase();
  const store = openStore(MONGODB_URL);
  await store.prepare();
  return { db, store, env: { ...ownStores(), MONGODB_URL } };
}

const ago = (hours: number) => new Date(Date.now() - hours * 3_600_000);

describe('sluice-admin doctor', () => {
  it('finds nothing that fails where all is well', async () => {
    const { db, env } = await start();
    await db
      .collection<{ _id: string; finishedAt: Date }>('operations')
      .insertOne({ _id: 'backup', finishedAt: ago(1) });
    const { code, found } = await doctor(env);
    expect(code).toBe(0);
    expect(Object.values(found).filter(({ level }) => level === 'fail')).toEqual([]);
    for (const check of [
      'write concern',
      'indexes',
      'parts',
      'exports',
      'imports',
      'backup',
      'validators',
      'Redis eviction',
    ])
      expect([check, found[check]?.level]).toEqual([check, 'ok']);
    const { code: exitCode, stdout } = await adminProcess(env, ['doctor']);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^ok {4}indexes: all are there$/m);
  });

  it('finds what is wrong in the database: an index, a part, a job, the backup, the validators, the version', async () => {
    const { db, store, env } = await start();
    await db.collection('jobs').dropIndex('owner_1_kind_1');
    await db
      .collection('parts')
      .insertOne({ _id: ObjectId.createFromTime(ago(3).getTime() / 1_000), job: new ObjectId() });
    const [application, owner] = ['a'.repeat(24), 'b'.repeat(24)];
    const options = { format: 'csv', formulas: 'escape', arrays: 'json' } as const;
    const job = { application, owner, domain: 'd', options, version: 1, leafCount: 0, transient: false };
    const { id } = await store.jobs.exports.create(job);
    await db.collection('jobs').updateOne({ _id: new ObjectId(id) }, { $set: { queuedAt: ago(1) } });
    await db
      .collection<{ _id: string; finishedAt: Date }>('operations')
      .insertOne({ _id: 'backup', finishedAt: ago(30) });
    await db.collection<{ _id: string }>('operations').updateOne({ _id: 'schema' }, { $set: { version: 9 } });
    for (const way of ['refused_by_judge', 'refused_by_judge', 'refused_by_ajv'] as const)
      await store.disagreements.note(way);
    const { code, found } = await doctor(env);
    expect(code).toBe(1);
    expect(found).toMatchObject({
      indexes: {
        level: 'fail',
        message: 'missing: jobs (owner, kind); restart a service, which creates them',
      },
      parts: { level: 'warn', message: expect.stringMatching(/^parts of 1 jobs that are gone/) },
      exports: { level: 'warn', message: expect.stringContaining(`${id} for 60 min`) },
      imports: { level: 'ok' },
      backup: { level: 'warn', message: expect.stringContaining('30 h ago') },
      validators: {
        level: 'warn',
        message: expect.stringContaining('only the judge refused: 2, only Ajv: 1'),
      },
      database: { level: 'fail', message: expect.stringContaining('version 9') },
    });
  });

  it('finds wrong settings, and shows no secret', async () => {
    const { env } = await start();
    const { code, found } = await doctor({
      ...env,
      NODE_ENV: 'production',
      JWT_SECRET: 'hush',
      BODY_LIMIT: 'x',
    });
    expect(code).toBe(1);
    expect(found['settings of api']).toEqual({
      level: 'fail',
      message:
        'BODY_LIMIT must be a number of bytes or a size such as 512KiB, at most 8MiB; JWT_SECRET must have at least 32 bytes in production',
    });
    expect(JSON.stringify(found)).not.toContain('hush');
  });
});

describe('sluice-admin config check', () => {
  it('prints what is in force, with secrets hidden', async () => {
    const stores = ownStores();
    const SECRETS_KEY = 'hush'.repeat(8);
    const env = { ...stores, BODY_LIMIT: '2MiB', WEBHOOK_ALLOW: '127.0.0.1', SECRETS_KEY };
    const { code, stdout } = await admin(env, ['config', 'check', '--json']);
    expect(code).toBe(0);
    const { api, ...others } = JSON.parse(stdout);
    expect(Object.keys(others)).toEqual(['ingest-worker', 'export-worker']);
    expect(api.settings).toEqual(
      expect.arrayContaining([
        { name: 'BODY_LIMIT', value: '2MiB', from: 'set' },
        { name: 'BATCH_LIMIT', value: '16MiB', from: 'default' },
        { name: 'JWT_SECRET', value: 'hidden', from: 'set' },
        { name: 'MONGODB_URL', value: 'hidden', from: 'set' },
        { name: 'METRICS_TOKEN', value: 'not set', from: 'default' },
      ]),
    );
    expect(others['export-worker'].settings).toEqual(
      expect.arrayContaining([
        { name: 'OUTBOUND_ALLOW', value: '127.0.0.1', from: 'set' },
        { name: 'SECRETS_KEY', value: 'hidden', from: 'set' },
        expect.objectContaining({ name: 'ARCHIVE_FOLDER', from: 'default' }),
      ]),
    );
    for (const secret of [SECRETS_KEY, stores.JWT_SECRET, stores.MONGODB_URL, stores.REDIS_URL])
      expect(stdout).not.toContain(secret);
  });

  it('names what is wrong, by service, and ends with 1', async () => {
    const { code, stdout, stderr } = await adminProcess(
      { ...ownStores(), WORKER_CONCURRENCY: '0', BODY_LIMT: '1' },
      [...['config', 'check', 'export-worker']],
    );
    expect(code).toBe(1);
    expect(stdout).toMatch(/^WORKER_CONCURRENCY +0 +set$/m);
    expect(stderr.split('\n')).toEqual([
      'sluice-admin: export-worker: WORKER_CONCURRENCY must be a whole number from 1 to 64',
      'sluice-admin: export-worker: `BODY_LIMT` is unknown, did you mean `BODY_LIMIT`?',
      '',
    ]);
  });

  it('looks at query workers where questions have somewhere to go', async () => {
    const env = { ...ownStores(), QUERY_URL: 'http://query-worker:4100' };
    const { code, stderr } = await admin(env, ['config', 'check']);
    expect([code, stderr]).toEqual([1, 'sluice-admin: query-worker: ARCHIVE_FOLDER is not set\n']);
  });

  it('refuses a token that expires at once, and a drain that outlasts the shutdown', async () => {
    const env = { ...ownStores(), JWT_TOKEN_DURATION: '0', DRAIN_DELAY: '30s' };
    const { code, stderr } = await admin(env, ['config', 'check', 'api']);
    expect([code, stderr.split('\n')]).toEqual([
      1,
      [
        expect.stringMatching(/^sluice-admin: api: JWT_TOKEN_DURATION must be /),
        'sluice-admin: api: DRAIN_DELAY must be shorter than SHUTDOWN_TIMEOUT, which includes it',
        '',
      ],
    ]);
  });

  it('knows the services by their names', async () => {
    const { code, stderr } = await admin(ownStores(), ['config', 'check', 'proxy']);
    expect([code, stderr]).toEqual([
      1,
      'sluice-admin: proxy is not one of api, ingest-worker, export-worker, query-worker\n',
    ]);
  });
});
