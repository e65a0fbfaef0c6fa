import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { startApi } from '@sluice/api/start.ts';
import { startExportWorker } from '@sluice/export-worker/start.ts';
import { connectRedis } from '@sluice/jobs/queue/redis.ts';
import { loadApiConfig, loadExportWorkerConfig } from '@sluice/shared/config/load.ts';
import { createLogger } from '@sluice/shared/logger.ts';
import type { Db } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { admin, adminProcess } from '../support/admin-command.ts';
import { exportClient } from '../support/export-client.ts';
import { importClient } from '../support/import-client.ts';
import { ownDatabase } from '../support/own-database.ts';
import { quickTimings } from '../support/quick-timings.ts';
import { call, type Sluice, startSluice, until, untilTaken } from '../support/sluice.ts';
import { ndjson, uploadClient } from '../support/upload-client.ts';

const log = createLogger('test', { level: 'silent', pretty: false });
const folder = mkdtempSync(join(tmpdir(), 'sluice-backup-'));
afterAll(() => rmSync(folder, { recursive: true }));

const counted = (count: number, from = 0) => Array.from({ length: count }, (_, n) => ({ n: from + n }));
const half = ({ length }: Buffer) => Math.floor(length / 2);
const sorted = (payloads: { n: number }[]) => payloads.map(({ n }) => n).sort((a, b) => a - b);

/** Uploads one after the other until it is told to stop; returns the numbers of those that got 201. */
function keepUploading(sluice: Sluice, token: string, domain: string) {
  const stored: number[] = [];
  let isOver = false;
  const client = uploadClient(sluice, token);
  const done = (async () => {
    for (let n = 0; !isOver; n++) {
      const { status } = await untilTaken(() => client.upload(domain, JSON.stringify({ n })));
      if (status === 201) stored.push(n);
      // The command that makes the backup needs the processors.
      await pause(5);
    }
  })();
  return {
    stored,
    async stop() {
      isOver = true;
      await done;
    },
  };
}

/** Removes all that MongoDB and Redis have of an installation. */
async function destroy(db: Db, { REDIS_URL: url = '', REDIS_PREFIX: prefix = '' }: Record<string, string>) {
  await db.dropDatabase();
  const redis = connectRedis({ url }, log, 'patient');
  const keys = await redis.keys(`{${prefix}}:*`);
  if (keys.length > 0) await redis.unlink(...keys);
  redis.disconnect();
}

it('a system that was backed up under load and destroyed is there again', async () => {
  const { db, url: MONGODB_URL } = await ownDatabase();
  const before = await startSluice({ workers: false, env: { MONGODB_URL } });
  const exporter = await startExportWorker(loadExportWorkerConfig(before.env), log, quickTimings);
  const { username, token } = await before.owner();
  const [quiet, busy, importing] = [
    await before.application(token),
    await before.application(token),
    await before.application(token),
  ];
  const client = uploadClient(before, token);
  const batch = ndjson(counted(700));
  const keyed = (atomic: boolean) => ({
    query: `?atomic=${atomic}`,
    headers: { 'idempotency-key': `batch-${atomic}` },
  });
  const tries = (of: typeof client) => [
    () => of.upload(quiet, '{"n":-1,"extra":true}', 'upload'),
    () => of.batch(quiet, batch, keyed(false)),
    () => of.batch(quiet, batch, keyed(true)),
  ];
  for (const send of tries(client)) expect((await untilTaken(send)).status).toBe(201);
  const exports = exportClient(before.url, token);
  const exported = await exports.create(quiet);
  await exports.over(quiet, exported);
  const csv = await exports.file(quiet, exported);
  // No ingest worker runs: it waits.
  const imported = await importClient(before, token).start(importing, ndjson(counted(12_000)));
  const path = `/applications/${quiet}/data?limit=1000`;
  const listed = (await before.request('GET', path, { token })).body.data;

  const uploads = keepUploading(before, token, busy);
  await until(async () => uploads.stored.length >= 50);
  const acknowledged = [...uploads.stored];
  const file = join(folder, 'load.backup');
  const made = await adminProcess(before.env, ['backup', '--to', file]);
  await until(async () => uploads.stored.length > acknowledged.length);
  await uploads.stop();
  expect([made.code, made.stderr]).toEqual([0, expect.stringContaining('entries')]);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(await db.collection<{ _id: string }>('operations').findOne({ _id: 'backup' })).toMatchObject({
    _id: 'backup',
    finishedAt: expect.any(Date),
    bytes: statSync(file).size,
    entries: expect.toSatisfy((count) => count >= 1_401 + acknowledged.length),
  });

  await Promise.all([before.stop(), exporter.stop()]);
  await destroy(db, before.env);
  expect(await adminProcess(before.env, ['restore', file])).toMatchObject({ code: 0 });

  const after = await startSluice({ env: before.env });
  onTestFinished(after.stop);
  const again = uploadClient(after, token);
  expect((await after.request('GET', path, { token })).body.data).toEqual(listed);
  const found = (await again.payloads(busy)).map(({ n }) => n);
  expect(new Set(found).size).toBe(found.length);
  expect(found).toEqual(expect.arrayContaining(acknowledged));
  expect(uploads.stored).toEqual(expect.arrayContaining(found));
  expect(await again.count(busy)).toBe(found.length);

  for (const send of tries(again)) expect((await untilTaken(send)).status).toBe(201);
  expect(await again.count(quiet)).toBe(1_401);
  const exportsAfter = exportClient(after.url, token);
  expect(await exportsAfter.file(quiet, exported)).toBe(csv);
  expect(await exportsAfter.over(quiet, await exportsAfter.create(quiet))).toMatchObject({
    state: 'completed',
  });
  expect(await importClient(after, token).ended(importing, imported.body.data.id)).toMatchObject({
    state: 'completed',
    progress: { done: 12_000, total: 12_000 },
  });
  expect(sorted(await again.payloads(importing))).toEqual(sorted(counted(12_000)));
  const login = { username, password: 'correct horse' };
  expect((await after.request('POST', '/users/login', { json: login })).status).toBe(200);
});

describe('a small backup', () => {
  let env: Record<string, string>;
  let path: string;
  let whole: Buffer;

  beforeAll(async () => {
    const sluice = await startSluice({ workers: false });
    env = sluice.env;
    const { token } = await sluice.owner();
    const domain = await sluice.application(token);
    await uploadClient(sluice, token).batch(domain, ndjson(counted(100)));
    await sluice.stop();
    path = join(folder, 'small.backup');
    await admin(env, ['backup', '--to', path]);
    whole = readFileSync(path);
  });

  /** A database of its own that was restored from it. */
  async function restored() {
    const { db, url } = await ownDatabase();
    const own = { ...env, MONGODB_URL: url };
    expect(await admin(own, ['restore', path])).toMatchObject({ code: 0 });
    return { own, hash: async () => (await db.command({ dbHash: 1 })).md5 as string };
  }

  it('is told with its time, counts and hashes', async () => {
    const { code, stdout } = await admin(env, ['backup', 'verify', path]);
    expect(code).toBe(0);
    for (const line of [
      /^version +1$/m,
      /^data of +\d{4}-\d\d-\d\dT/m,
      /^sha256 +[0-9a-f]{64}$/m,
      /entries\W+100\W+[0-9a-f]{64}/,
    ])
      expect(stdout).toMatch(line);
  });

  it('is not overwritten', async () => {
    const { code, stderr } = await admin(env, ['backup', '--to', path]);
    expect([code, stderr]).toEqual([1, `sluice-admin: ${path} exists: choose another name\n`]);
    expect(readFileSync(path).equals(whole)).toBe(true);
  });

  it('is restored into a database that is not empty only with --force', async () => {
    const { own, hash } = await restored();
    const before = await hash();
    const { code, stderr } = await admin(own, ['restore', path]);
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/ is not empty \(.*100 entries.*\): --force drops/),
    ]);
    expect(await hash()).toBe(before);
    const forced = await adminProcess(own, ['restore', '-', '--force'], whole);
    expect(forced).toMatchObject({ code: 0, stderr: expect.stringMatching(/^Dropping .*100 entries/) });
    expect(await hash()).toBe(before);
  });

  it.each([[[]], [['--force']]])(
    'is not restored with %j while a service uses the database',
    async (options) => {
      const { own, hash } = await restored();
      const api = await startApi(loadApiConfig(own), log);
      onTestFinished(api.stop);
      await until(async () => (await call(api.url, 'GET', '/api/health/ready')).status === 200);
      const before = await hash();
      const { code, stderr } = await admin(own, ['restore', path, ...options]);
      expect([code, stderr]).toEqual([
        1,
        expect.stringMatching(
          /^sluice-admin: services use the database \S+ \(sluice-api at .*\): stop them first\n$/,
        ),
      ]);
      expect(await hash()).toBe(before);
    },
  );

  it.each([
    ['truncated', (bytes: Buffer) => bytes.subarray(0, half(bytes)), 'is truncated'],
    ['without its last byte', (bytes: Buffer) => bytes.subarray(0, -1), 'is truncated'],
    [
      'changed',
      (bytes: Buffer) => bytes.with(half(bytes), (bytes.at(half(bytes)) as number) ^ 1),
      'was changed',
    ],
  ])('is refused when it is %s, and the database stays as it was', async (name, damage, message) => {
    const { own, hash } = await restored();
    const before = await hash();
    const damaged = join(folder, `${name}.backup`);
    writeFileSync(damaged, damage(whole));
    const refusal = {
      code: 1,
      stdout: '',
      stderr: expect.stringContaining(`sluice-admin: the backup ${message}`),
    };
    expect(await admin(own, ['backup', 'verify', damaged])).toEqual(refusal);
    expect(await admin(own, ['restore', damaged, '--force'])).toEqual(refusal);
    expect(await hash()).toBe(before);
  });

  it('that ends too early on the standard input leaves a database that no API uses, until it is restored', async () => {
    const { own } = await restored();
    const broken = await admin(own, ['restore', '-', '--force'], whole.subarray(0, -1));
    expect(broken).toMatchObject({ code: 1, stderr: expect.stringContaining('restore again with --force') });
    const api = await startApi(loadApiConfig(own), log);
    onTestFinished(api.stop);
    const status = async (path: string) => (await call(api.url, 'GET', path)).status;
    expect([await status('/api/users'), await status('/api/health/ready')]).toEqual([503, 404]);
    const reason = 'the database holds only part of a backup';
    const doctor = await admin(own, ['doctor']);
    expect(doctor).toMatchObject({ code: 1, stdout: expect.stringContaining(`fail  database: ${reason}`) });
    const backup = await admin(own, ['backup', '--to', '-']);
    expect(backup).toMatchObject({ code: 1, stderr: expect.stringMatching(`^sluice-admin: ${reason}.*\n$`) });
    expect(await admin(own, ['restore', path, '--force'])).toMatchObject({ code: 0 });
    await until(async () => (await status('/api/health/ready')) === 200);
  });
});
