import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createExpireEntries } from '@sluice/ingest-worker/deletion/expire-entries.ts';
import { createLogger } from '@sluice/shared/logger.ts';
import { MongoClient, ObjectId } from 'mongodb';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { sha256 } from '../support/export-client.ts';
import { manifestsIn, readLake } from '../support/lake.ts';
import { openStore } from '../support/own-database.ts';
import { startSluice, storeOf, until } from '../support/sluice.ts';
import { commandLine } from '../support/sluice-command.ts';
import { startVersitygw } from '../support/versitygw.ts';

const folder = mkdtempSync(join(tmpdir(), 'sluice-archives-'));
const sluice = await startSluice({
  env: { ARCHIVE_FOLDER: folder, SECRETS_KEY: 'a secret of tests', OUTBOUND_ALLOW: '127.0.0.1' },
});
afterAll(async () => {
  await sluice.stop();
  rmSync(folder, { recursive: true });
});

const usual = { format: 'ndjson', every: '1h', from: 'beginning' };
const secret = 'a-secret-that-nobody-sees';
const bucket = { kind: 's3', bucket: 'lake', access_key_id: 'key', secret_access_key: secret };

const dayMs = 86_400_000;
const log = createLogger('test', { level: 'silent', pretty: false });

type Call = Awaited<ReturnType<typeof application>>['call'];

async function application(given?: string) {
  const token = given ?? (await sluice.owner()).token;
  const domain = await sluice.application(token);
  const path = `/applications/${domain}`;
  const call = (method: string, where: string, json?: unknown) =>
    sluice.request(method, `${path}${where}`, { token, ...(json !== undefined && { json }) });
  const upload = async (count: number) => {
    const lines = Array.from({ length: count }, (_, n) => ({ n }));
    expect((await call('POST', '/data/batch', lines)).status).toBe(201);
  };
  /** Resolves when so many runs have ended. */
  const ran = async (id: string, run: number) => {
    await until(async () => (await call('GET', `/archives/${id}`)).body.data.last_run?.run === run);
    return (await call('GET', `/archives/${id}`)).body.data;
  };
  return { token, domain, call, upload, ran };
}

describe('an archive', () => {
  it('has each entry once after its runs, in the folder of the operator', async () => {
    const { domain, call, upload, ran } = await application();
    await upload(300);
    const { body } = await call('POST', '/archives', { to: { kind: 'folder' }, ...usual });
    const { id } = body.data;
    expect(await ran(id, 1)).toMatchObject({ state: 'active', entries: 300, lag_seconds: 0 });
    await upload(20);
    expect((await call('POST', `/archives/${id}/run`)).status).toBe(200);
    expect(await ran(id, 2)).toMatchObject({ entries: 320, last_run: { run: 2, entries: 20, files: 1 } });
    expect(await readLake(join(folder, domain))).toHaveLength(320);
    const runs = (await call('GET', `/archives/${id}/runs`)).body.data;
    expect(runs.map((run: { result: object }) => run.result)).toMatchObject([
      { entries: 20 },
      { entries: 300 },
    ]);
    await call('PATCH', `/archives/${id}`, { state: 'paused' });
    const paused = await call('POST', `/archives/${id}/run`);
    expect([paused.status, paused.body.error.message]).toEqual([
      409,
      expect.stringMatching(/: resume it first/),
    ]);
    expect((await call('DELETE', `/archives/${id}`)).status).toBe(200);
    expect((await call('GET', `/archives/${id}`)).status).toBe(404);
    expect(await readLake(join(folder, domain))).toHaveLength(320);
  });

  it('has each entry once in a bucket, once it has the right key', async () => {
    const { domain, call, upload, ran } = await application();
    const { target, folder: files, stop } = await startVersitygw();
    onTestFinished(stop);
    await upload(100);
    const { endpoint, accessKeyId: access_key_id, secretAccessKey: secret_access_key } = target;
    const to = { kind: 's3', endpoint, bucket: target.bucket, prefix: 'some/place', path_style: true };
    const wrong = { access_key_id, secret_access_key: 'wrong' };
    const made = await call('POST', '/archives', { to: { ...to, ...wrong }, ...usual, format: 'parquet' });
    const { id } = made.body.data;
    await until(async () => (await call('GET', `/archives/${id}`)).body.data.state === 'failing');
    expect((await call('GET', `/archives/${id}`)).body.data.reason).toMatch(/secret/);
    await call('PATCH', `/archives/${id}`, { to: { access_key_id, secret_access_key } });
    expect(await ran(id, 1)).toMatchObject({ state: 'active', entries: 100 });
    expect(await readLake(join(files, 'some/place', domain))).toHaveLength(100);
  });

  it('says why the folder of the operator cannot be used, and goes on when it can', async () => {
    const { domain, call, upload, ran } = await application();
    await upload(10);
    writeFileSync(join(folder, domain), '');
    const { id } = (await call('POST', '/archives', { to: { kind: 'folder' }, ...usual })).body.data;
    await until(async () => (await call('GET', `/archives/${id}`)).body.data.state === 'failing');
    const { reason } = (await call('GET', `/archives/${id}`)).body.data;
    expect(reason).toMatch(/cannot be used: .* is a file, and must be a folder$/);
    rmSync(join(folder, domain));
    await call('POST', `/archives/${id}/run`);
    expect(await ran(id, 1)).toMatchObject({ state: 'active', entries: 10 });
  });

  it('never shows its secret, and takes a new key but no other place', async () => {
    const { call } = await application();
    const made = await call('POST', '/archives', { to: bucket, ...usual, from: 'now' });
    expect([made.status, made.body.data.to]).toEqual([
      200,
      { kind: 's3', bucket: 'lake', access_key_id: 'key' },
    ]);
    const { id } = made.body.data;
    const key = { access_key_id: 'other', secret_access_key: secret };
    const changed = await call('PATCH', `/archives/${id}`, { to: key, state: 'paused' });
    expect(changed.body.data).toMatchObject({ state: 'paused', to: { access_key_id: 'other' } });
    expect((await call('PATCH', `/archives/${id}`, { to: { ...key, bucket: 'other' } })).status).toBe(400);
    expect((await call('POST', '/archives', { to: bucket, ...usual })).status).toBe(409);
    for (const answer of [
      made,
      changed,
      await call('GET', '/archives'),
      await call('GET', `/archives/${id}`),
    ])
      expect(JSON.stringify(answer.body)).not.toContain(secret);
  });

  it('of questions is no archive of the owner', async () => {
    const { domain, call } = await application();
    const store = storeOf(sluice);
    const { id } = (await store.applications.byDomain(domain)) as { id: string };
    const asked = await store.askedArchives.ask(id);
    expect((await call('GET', '/archives')).body.data).toEqual([]);
    for (const [method, where, json] of [
      ['GET', ''],
      ['PATCH', '', { name: 'x' }],
      ['DELETE', ''],
      ['POST', '/run'],
      ['POST', '/verify'],
      ['GET', '/runs'],
    ] as const)
      expect((await call(method, `/archives/${asked.id}${where}`, json)).status).toBe(404);
    const refused = await call('PUT', '', { retention_days: 1, archive: asked.id });
    expect(JSON.stringify(refused.body)).toContain('names no archive of the application');
  });

  it('has no place that another one has, whichever process made that and when by its clock', async () => {
    const { call } = await application();
    const { id } = (await call('POST', '/archives', { to: bucket, ...usual })).body.data;
    const client = await MongoClient.connect(sluice.env.MONGODB_URL as string);
    try {
      const archives = client.db().collection('archives');
      const made = await archives.findOneAndDelete({ _id: new ObjectId(id) });
      await archives.insertOne({ ...made, _id: new ObjectId('f'.repeat(24)) });
    } finally {
      await client.close();
    }
    expect((await call('POST', '/archives', { to: bucket, ...usual })).status).toBe(409);
    expect((await call('GET', '/archives')).body.data).toHaveLength(1);
  });

  it('is made by one of several requests at once, and by no more than may be', async () => {
    const { call } = await application();
    const create = (to: object) => call('POST', '/archives', { to, ...usual, from: 'now' });
    const same = await Promise.all(Array.from({ length: 4 }, () => create(bucket)));
    expect(same.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409]);
    const others = await Promise.all(
      Array.from({ length: 4 }, (_, n) => create({ ...bucket, prefix: `p${n}` })),
    );
    expect(others.map(({ status }) => status).toSorted()).toEqual([200, 200, 429, 429]);
    const made = (await call('GET', '/archives')).body.data;
    expect(made).toHaveLength(3);
    expect(made.map(({ state }: { state: string }) => state)).not.toContain('paused');
  });

  it.each([
    [{ kind: 'folder', bucket: 'lake' }, '/to/bucket'],
    [{ ...bucket, bucket: 'Lake' }, '/to/bucket'],
    [{ ...bucket, bucket: 'a..b' }, '/to/bucket'],
    [{ ...bucket, prefix: '../other' }, '/to/prefix'],
    [{ ...bucket, prefix: '/lake' }, '/to/prefix'],
    [{ ...bucket, endpoint: 'http://10.0.0.1' }, '/to/endpoint'],
    [{ ...bucket, endpoint: 'ftp://example.com' }, '/to/endpoint'],
    [{ kind: 's3', bucket: 'lake', access_key_id: 'key' }, '/to/secret_access_key'],
  ])('cannot go to %j', async (to, path) => {
    const { call } = await application();
    const { status, body } = await call('POST', '/archives', { to, ...usual });
    expect([status, body.error.details[0].path]).toEqual([400, path]);
  });

  it.each([
    [
      { ...bucket, secret_access_key: 'a\nb' },
      'body/to/secret_access_key must be printable ASCII. It is kept encrypted, and never shown',
    ],
    [{ ...bucket, access_key_id: 'a b' }, 'body/to/access_key_id must be visible ASCII without blanks'],
    [{ ...bucket, region: 'EU' }, 'body/to/region must be small letters, digits and `-`'],
  ])('says what is right instead of %j', async (to, message) => {
    const { call } = await application();
    const { status, body } = await call('POST', '/archives', { to, ...usual });
    expect([status, body.error.message]).toEqual([400, message]);
  });
});

describe('retention into an archive', () => {
  it('moves old entries, which exports still have, and says so', async () => {
    const { token } = await sluice.owner();
    const { domain, call, upload, ran } = await application(token);
    const old = Array.from({ length: 50 }, (_, n) => ({
      createdAt: new Date(Date.now() - (n + 20) * dayMs).toISOString(),
      payload: { n },
    }));
    const lines = old.map((line) => `${JSON.stringify(line)}\n`).join('');
    const imported = await sluice.request('POST', `/applications/${domain}/imports?entries=wrapped`, {
      token,
      body: lines,
      headers: { 'content-type': 'application/x-ndjson' },
    });
    const job = `/imports/${imported.body.data.id}`;
    await until(async () => (await call('GET', job)).body.data.state === 'completed');
    await upload(30);
    const file = async () => (await call('GET', '/export?format=ndjson&meta=source,by')).text;
    const before = await file();
    expect(before.split('\n')).toHaveLength(81);

    const make = async (more: object) =>
      (await call('POST', '/archives', { to: { kind: 'folder' }, ...usual, ...more })).body.data;
    const parquet = await make({ format: 'parquet' });
    const keep = async (json: object) => call('PATCH', '', json);
    const refused = await keep({ archive: parquet.id });
    expect([refused.status, refused.body.error.message]).toEqual([
      400,
      expect.stringMatching(/ndjson, which alone keeps entries exactly/),
    ]);
    await call('DELETE', `/archives/${parquet.id}`);
    rmSync(join(folder, domain), { recursive: true, force: true });
    const late = await make({ from: 'now' });
    expect((await keep({ archive: late.id })).body.error.message).toMatch(/from the beginning/);
    expect((await keep({ archive: '0'.repeat(24) })).body.error.message).toMatch(/was not found/);
    await call('DELETE', `/archives/${late.id}`);
    rmSync(join(folder, domain), { recursive: true, force: true });
    const { id } = await make({});
    await ran(id, 1);
    expect((await keep({ retention_days: 30, archive: id })).body.data).toMatchObject({ archive: id });
    const removed = await call('DELETE', `/archives/${id}`);
    expect([removed.status, removed.body.error.message]).toEqual([
      409,
      expect.stringMatching(/uses archive/),
    ]);
    expect((await keep({ archive: null })).status).toBe(200);
    expect((await keep({ archive: id })).status).toBe(200);

    const store = openStore(sluice.env.MONGODB_URL as string);
    const expire = createExpireEntries({ store, auditRetentionMs: dayMs, log });
    await until(async () => {
      await expire(new AbortController().signal);
      return (await call('GET', '')).body.data.entries === 40;
    });
    const { archived_before } = (await call('GET', '')).body.data;
    const [newest = { createdAt: '' }] = old.slice(10);
    expect(new Date(archived_before).getTime()).toBe(new Date(newest.createdAt).getTime() + 1);
    const listed = (await call('GET', '/data?limit=1')).body.data;
    expect(listed).toMatchObject({ archived_before, pagination: { total: 40 } });
    expect(await file()).toBe(before);
    const kept = await keep({ archive: null });
    expect([kept.status, kept.body.error.message]).toEqual([
      409,
      expect.stringMatching(/alone, so it cannot change: .* set retention_days to null/),
    ]);
    expect((await call('DELETE', `/archives/${id}`)).status).toBe(409);
    renameSync(join(folder, domain), join(folder, 'away'));
    const away = await call('GET', '/export?format=ndjson');
    expect([away.status, away.text]).toEqual([
      400,
      expect.stringMatching(/cannot be read: .* has 0 of the 1 manifests/),
    ]);
    renameSync(join(folder, 'away'), join(folder, domain));
    expect(await file()).toBe(before);
  });
});

/** An application of which two runs have 320 entries, less one deleted. */
async function archived() {
  const { token, domain, call, upload, ran } = await application();
  await upload(300);
  const { id } = (await call('POST', '/archives', { to: { kind: 'folder' }, ...usual })).body.data;
  await ran(id, 1);
  await upload(20);
  const [entry] = (await call('GET', '/data?limit=1')).body.data.result;
  await call('DELETE', `/data/${entry.id}`);
  await call('POST', `/archives/${id}/run`);
  await ran(id, 2);
  const verify = () => commandLine({ url: sluice.url, token, app: domain }).sluice(['archives', 'verify']);
  return { id, domain, call, verify, lake: join(folder, domain) };
}

describe('a verification', () => {
  it('proves that all entries are in the files, once at a time', async () => {
    const { id, domain, call, verify, lake } = await archived();
    expect(await verify()).toEqual({ code: 0, stdout: '', stderr: '319 entries, equal\n' });
    const files = manifestsIn(lake).flatMap((manifest) => manifest.files);
    const [job] = (await call('GET', '/verifications')).body.data;
    expect(job).toMatchObject({
      kind: 'verification',
      state: 'completed',
      progress: { done: 319, total: 319 },
      result: {
        entries: 319,
        files: files.length,
        bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
        equal: true,
      },
    });
    const { applications, jobs } = storeOf(sluice);
    const { id: of = '', owner } = (await applications.byDomain(domain)) ?? {};
    const underWay = await jobs.create<'verification'>({
      kind: 'verification',
      application: of,
      owner: owner?.id ?? '',
      domain,
      options: { archive: id },
    });
    const asked = await call('POST', `/archives/${id}/verify`);
    expect([asked.status, asked.body.data.id]).toEqual([202, underWay.id]);
  });

  it.each<[string, (file: string, lake: string) => unknown, RegExp]>([
    ['missing', (file) => rmSync(file), /date=\S+\.ndjson is missing\n$/],
    ['cut', (file) => truncateSync(file, 100), /date=\S+\.ndjson was cut: it has 100 bytes of \d+\n$/],
    [
      'changed',
      (file) => writeFileSync(file, readFileSync(file, 'utf8').replace('"n":7', '"n":8')),
      /date=\S+\.ndjson was changed: its bytes are not those that the archive stored\n$/,
    ],
    [
      'doubled',
      (file) => copyFileSync(file, file.replace('.ndjson', '-2.ndjson')),
      /date=\S+-2\.ndjson is in no manifest, so its entries may be there twice/,
    ],
    [
      'without its manifest',
      (_file, lake) => rmSync(join(lake, '_manifests/000001.json')),
      / has 1 manifests, and the runs have stored 2\n$/,
    ],
  ])('names a file that is %s', async (_fault, damage, message) => {
    const { domain, verify, lake, call } = await archived();
    const name = manifestsIn(lake)[0]?.files[0]?.name as string;
    damage(join(lake, name), lake);
    const { code, stderr } = await verify();
    expect([code, stderr]).toEqual([1, expect.stringMatching(message)]);
    expect(stderr).toContain(domain);
    const [job] = (await call('GET', '/verifications')).body.data;
    expect(job).toMatchObject({ state: 'failed', error: expect.stringContaining(domain) });
  });
});

describe('an export to another place', () => {
  const over = async (call: Call, id: string) => {
    const ask = async () => (await call('GET', `/exports/${id}`)).body.data;
    await until(async () => ['completed', 'failed'].includes((await ask()).state));
    return ask();
  };
  const send = async (call: Call, json: object) => {
    const { status, body } = await call('POST', '/exports', json);
    expect([status, body]).toMatchObject([202, {}]);
    return over(call, body.data.id);
  };

  it.each(['csv', 'ndjson', 'parquet'])(
    'is the same file of %s as one that is kept here, in a bucket and in the folder',
    async (format) => {
      const { domain, call, upload } = await application();
      const { target, folder: files, stop } = await startVersitygw();
      onTestFinished(stop);
      await upload(700);
      const from = new Date(Date.now() - 60_000).toISOString();
      const options = { format, from, meta: ['id'], filter: { n: { lt: 600 } } };
      const { file } = await send(call, options);
      const { endpoint, accessKeyId: access_key_id, secretAccessKey: secret_access_key } = target;
      const s3 = { kind: 's3', endpoint, bucket: target.bucket, prefix: 'some/place', access_key_id };
      for (const [to, root, prefix] of [
        [{ ...s3, secret_access_key }, files, 'some/place/'],
        [{ kind: 'folder' }, folder, ''],
      ] as const) {
        const before = new Date(Date.now() + 1_000).toISOString();
        const job = await send(call, { ...options, to, before });
        const { url: _, name: __, ...same } = file;
        const name = `${prefix}${domain}/exports/${job.createdAt.slice(0, 10)}-${job.id}.${format}`;
        expect(job.file).toEqual({ ...same, name });
        expect(job.to).toEqual(to.kind === 's3' ? { ...s3, endpoint: `${endpoint}/` } : to);
        expect(job.progress).toMatchObject({ done: file.rows, total: file.rows });
        const bytes = readFileSync(join(root, name));
        expect([sha256(bytes), bytes.length]).toEqual([file.sha256, file.bytes]);
        expect(JSON.stringify(await call('GET', '/exports'))).not.toContain(secret_access_key);
        const { status, body } = await call('GET', `/exports/${job.id}/file`);
        expect([status, body.error.message]).toEqual([404, expect.stringContaining(name)]);
        const client = await MongoClient.connect(sluice.env.MONGODB_URL as string);
        const parts = client
          .db()
          .collection('parts')
          .countDocuments({ job: new ObjectId(job.id) });
        expect(await parts.finally(() => client.close())).toBe(0);
      }
    },
  );

  it('fails with what to do, and a retry makes it', async () => {
    const { call, upload } = await application();
    const { target, folder: files, stop } = await startVersitygw();
    onTestFinished(stop);
    await upload(10);
    const { endpoint, accessKeyId: access_key_id, secretAccessKey: secret_access_key } = target;
    const to = { kind: 's3', endpoint, bucket: 'later', access_key_id, secret_access_key };
    const { id, error } = await send(call, { to });
    expect(error).toMatch(/has no bucket later: create it/);
    mkdirSync(join(dirname(files), 'later'));
    expect((await call('POST', `/exports/${id}/retry`)).status).toBe(202);
    const { state, file } = await over(call, id);
    expect([state, file.rows]).toEqual(['completed', 10]);
    expect(sha256(readFileSync(join(dirname(files), 'later', file.name)))).toBe(file.sha256);
  });

  it.each([
    [{ kind: 'folder', bucket: 'lake' }, '/to/bucket', /is for a bucket/],
    [{ ...bucket, bucket: 'Lake' }, '/to/bucket', /^body\/to\/bucket must be a name that S3 allows/],
    [{ ...bucket, endpoint: 'http://10.0.0.1' }, '/to/endpoint', /private address/],
    [{ kind: 's3', bucket: 'lake', access_key_id: 'key' }, '/to/secret_access_key', /is needed for s3/],
    ['tomorrow', '/to', /^body\/to must be an ISO 8601 timestamp/],
  ])('cannot have `to` %j', async (to, path, message) => {
    const { call } = await application();
    const { status, body } = await call('POST', '/exports', { to });
    const { details } = body.error;
    expect([status, details.length, details[0].path]).toEqual([400, 1, path]);
    expect(body.error.message).toMatch(message);
  });

  it('takes one end of the period, and is for the owner alone', async () => {
    const { domain, call } = await application();
    const time = '2026-11-21T04:00:00Z';
    const { status, body } = await call('POST', '/exports', { to: time, before: time });
    expect([status, body.error.message]).toEqual([400, expect.stringContaining('send one of them')]);
    const { token, username } = await sluice.owner();
    await call('PUT', `/members/${username}`, { role: 'editor' });
    const path = `/applications/${domain}/exports`;
    const refused = await sluice.request('POST', path, { token, json: { to: { kind: 'folder' } } });
    expect([refused.status, refused.body.error.message]).toEqual([
      403,
      expect.stringContaining('needs the owner'),
    ]);
    expect((await sluice.request('POST', path, { token, json: { to: time } })).status).toBe(202);
  });
});
