import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MongoClient, ObjectId } from 'mongodb';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { readLake } from '../support/lake.ts';
import { startSluice, until } from '../support/sluice.ts';
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

async function application() {
  const { token } = await sluice.owner();
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
  return { domain, call, upload, ran };
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
