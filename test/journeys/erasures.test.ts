import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { zstdDecompressSync } from 'node:zlib';
import { erasedHash } from '@sluice/store/erasures/erased.ts';
import { MongoClient } from 'mongodb';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { admin } from '../support/admin-command.ts';
import { importClient } from '../support/import-client.ts';
import { ownDatabase } from '../support/own-database.ts';
import { createReceiver } from '../support/receiver.ts';
import { refusedClient } from '../support/refused-client.ts';
import { type Answer, startSluice, until } from '../support/sluice.ts';

const folder = mkdtempSync(join(tmpdir(), 'sluice-erasures-'));
const sluice = await startSluice({
  env: { ARCHIVE_FOLDER: folder, OUTBOUND_ALLOW: '127.0.0.1' },
});
const client = await MongoClient.connect(sluice.env.MONGODB_URL as string);
const db = client.db();
afterAll(async () => {
  await client.close();
  await sluice.stop();
  rmSync(folder, { recursive: true });
});

const schema = {
  type: 'object',
  properties: { email: { type: 'string' }, n: { type: 'integer' } },
  required: ['email', 'n'],
};
const person = 'ada.l@example.com';
const other = 'grace@example.com';
const secret = 'of-a-backup@example.com';

async function application(unique?: object) {
  const { token } = await sluice.owner();
  const domain = await sluice.application(token, schema);
  const path = `/applications/${domain}`;
  const call = (method: string, where: string, json?: unknown) =>
    sluice.request(method, `${path}${where}`, { token, ...(json !== undefined && { json }) });
  if (unique) expect((await call('PATCH', '', { unique })).status).toBe(200);
  /** The job once it has ended. */
  async function ended(where: string): Promise<Answer['body']> {
    let job: Answer['body'];
    await until(async () => {
      job = (await call('GET', where)).body.data;
      return !['waiting', 'active'].includes(job.state);
    });
    return job;
  }
  async function erase(json: object) {
    const { status, body, text } = await call('POST', '/erasures', json);
    expect(status, text).toBe(202);
    expect(body.data).toMatchObject({ kind: 'erasure', state: 'waiting' });
    expect(text).not.toContain(person);
    return ended(`/erasures/${body.data.id}`);
  }
  async function made(where: string, json: object) {
    const { status, body, text } = await call('POST', where, json);
    expect(status, text).toBe(202);
    return ended(`${where}/${body.data.id}`);
  }
  /** Makes one, and waits for its first run; the function waits for another. */
  async function archive() {
    const json = { to: { kind: 'folder' }, format: 'csv', every: '1d', from: 'beginning' };
    const { id } = (await call('POST', '/archives', json)).body.data;
    const ran = (run: number) =>
      until(async () => (await call('GET', `/archives/${id}`)).body.data.last_run?.run === run);
    await ran(1);
    return ran;
  }
  return { token, domain, call, erase, made, archive };
}

/** Where MongoDB has a text: `collection id`, also in compressed files. */
async function placesOf(text: string, database = db): Promise<string[]> {
  const found: string[] = [];
  for (const { name } of await database.listCollections({}, { nameOnly: true }).toArray()) {
    for await (const bytes of database.collection(name).find({}, { raw: true })) {
      const document = Buffer.from(bytes as unknown as Uint8Array);
      const zstd = document.indexOf(Buffer.from('28b52ffd', 'hex'));
      const content =
        name === 'parts' && zstd >= 0 ? zstdDecompressSync(document.subarray(zstd, -1)) : document;
      if (content.includes(text)) found.push(name);
    }
  }
  return found.toSorted();
}

const filesWith = (text: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((path) => readFileSync(path).includes(text));

describe('an erasure', () => {
  it('removes entries, refused uploads, deliveries, files and what the lake has, and keeps only hashes', async () => {
    const { token, domain, call, erase, made, archive } = await application({ path: '/email' });
    const receiver = await createReceiver((response, { body }) => response.end(body));
    const hook = (await call('POST', '/webhooks', { url: receiver.url, events: ['entries.stored'] })).body
      .data;
    const failing = await createReceiver((response, { body }) => response.writeHead(500).end(body));
    await call('POST', '/webhooks', { url: failing.url, events: ['entries.stored'] });
    const entry = await call('POST', '/data', { email: person, n: 1 });
    const id = entry.headers.get('entry-id') as string;
    for (const n of [2, 3]) await call('POST', '/data', { email: `${n}${other}`, n });
    const refused = refusedClient(sluice, token, domain);
    await refused.refuse({ email: person, n: 'x' });
    await refused.refuse({ email: other, n: 'x' });
    expect((await call('POST', '/data', { email: person, n: 2 })).status).toBe(409);
    await refused.uploadText(`{"email": "${person}", "n"`);
    await refused.uploadText(`{"email": "5${other}", "n"`);
    await refused.untilCounted(5);
    const imports = importClient(sluice, token);
    const lines = `{"email":"${person}","n":"y"}\n{"email":"4${other}","n":4}\n`;
    const imported = await imports.ended(domain, (await imports.start(domain, lines)).body.data.id);
    expect(imported).toMatchObject({ state: 'completed', accepted: 1, rejected: 1 });
    await made('/exports', { format: 'csv' });
    await made('/exports', { format: 'ndjson', filter: { email: person } });
    await made('/rehearsals', { schema: { type: 'object', properties: { n: { maximum: 0 } } } });
    const ran = await archive();
    await until(async () => {
      const { result } = (await call('GET', `/webhooks/${hook.id}/deliveries`)).body.data;
      return result.length > 0 && result.every(({ state }: { state: string }) => state === 'delivered');
    });
    await until(async () => (await db.collection('deliveries').countDocuments({ 'last.status': 500 })) > 0);
    const before = new Set(await placesOf(person));
    expect([...before]).toEqual(['deliveries', 'entries', 'jobs', 'parts', 'refused']);
    expect(filesWith(person)).toHaveLength(1);
    const stranger = await application({ path: '/email' });
    expect((await stranger.call('POST', '/data', { email: person, n: 5 })).status).toBe(201);

    const erased = await erase({ values: [person] });
    const result = { entries: 1, refused: 4, files: 4 };
    expect(erased).toMatchObject({ state: 'completed', result, createdBy: expect.any(String) });
    expect(erased).not.toHaveProperty('expiresAt');
    expect((await call('GET', '/erasures')).body.data).toEqual([erased]);
    expect(await placesOf(person)).toEqual(['entries']);
    expect((await stranger.call('GET', '/data')).body.data.pagination.total).toBe(1);
    expect((await call('GET', '/data')).body.data.pagination.total).toBe(3);
    expect((await refused.list()).pagination.total).toBe(2);
    expect((await call('POST', `/exports/${erased.id}/retry`)).status).toBe(404);
    await stranger.erase({ filter: { email: person } });
    expect(await placesOf(person)).toEqual([]);

    await ran(2);
    const compacted = await admin({ ...sluice.env, ARCHIVE_FOLDER: folder }, ['archives', 'compact', domain]);
    expect(compacted).toMatchObject({ code: 0, stdout: expect.stringContaining('1 deleted entries') });
    expect(filesWith(person)).toEqual([]);
    const kept = readFileSync(join(folder, domain, '_erasures', `${erased.id}.json`), 'utf8');
    const { _id } = (await db.collection('applications').findOne({ domain })) ?? {};
    expect(JSON.parse(kept)).toMatchObject({ id: erased.id, domain, ...result });
    expect(JSON.parse(kept).hashes).toContain(erasedHash(String(_id), id).toString('hex'));
    expect(kept).not.toContain(id);
  });

  it('is applied to a restored backup that does not know it', async () => {
    const [one, other] = [await application(), await application()];
    for (const n of [1, 2, 3]) await one.call('POST', '/data', { email: n > 1 ? `${n}` : secret, n });
    await other.call('POST', '/data', { email: secret, n: 1 });
    const refused = refusedClient(sluice, one.token, one.domain);
    await refused.refuse({ email: secret, n: 'x' });
    await refused.untilCounted(1);
    await one.made('/exports', { format: 'csv' });
    const ran = await one.archive();
    const before = new Set(['entries', 'parts', 'refused']);
    const backups = mkdtempSync(join(tmpdir(), 'sluice-erasures-backups-'));
    onTestFinished(() => rmSync(backups, { recursive: true }));
    const backUp = () => admin(sluice.env, ['backup', '--to', `${backups}/`]);
    expect(await backUp()).toMatchObject({ code: 0 });
    const [backup = ''] = readdirSync(backups);
    for (const { erase } of [one, other]) await erase({ filter: { email: secret } });
    await ran(2);

    async function restored(...more: string[]) {
      const { url, db } = await ownDatabase();
      const given = { ...sluice.env, MONGODB_URL: url };
      const { code, stderr } = await admin(given, ['restore', join(backups, backup), ...more]);
      expect({ code, stderr }).toMatchObject({ code: 0 });
      const entries = await db.collection('entries').countDocuments();
      return { stderr, entries, places: await placesOf(secret, db) };
    }
    const bare = await restored();
    expect([bare.entries, new Set(bare.places)]).toEqual([bare.entries, before]);
    const ofArchive = await restored('--erasures', folder);
    expect(ofArchive.stderr).toMatch(
      /^Applied 1 erasures .* know: 1 entries, 1 refused uploads and \d+ jobs/m,
    );
    expect([ofArchive.entries, ofArchive.places]).toEqual([bare.entries - 1, ['entries']]);
    expect(await backUp()).toMatchObject({ code: 0 });
    const ofBackup = await restored();
    expect(ofBackup.stderr).toMatch(
      /^Applied 2 erasures .* know: 2 entries, 1 refused uploads and \d+ jobs/m,
    );
    expect([ofBackup.entries, ofBackup.places]).toEqual([bare.entries - 2, []]);

    const { url, db: fedDb } = await ownDatabase();
    const given = { ...sluice.env, MONGODB_URL: url };
    const fed = (file = '') => readFileSync(join(backups, file));
    expect(await admin(given, ['restore', '-'], fed(backup))).toMatchObject({ code: 0 });
    expect(new Set(await placesOf(secret, fedDb))).toEqual(before);
    const [, later] = readdirSync(backups).toSorted();
    const applied = await admin(given, ['erasures', 'apply', '-'], fed(later));
    expect(applied).toMatchObject({ code: 0, stderr: expect.stringContaining('Applied 2 erasures') });
    expect(await placesOf(secret, fedDb)).toEqual([]);
    const again = await admin(given, ['erasures', 'apply', '-'], fed(later));
    expect(again.stderr).toBe('The database knows all erasures\n');
  });

  it('takes what a filter says, and expires when nothing was erased', async () => {
    const { call, erase } = await application();
    for (const n of [1, 2, 3]) await call('POST', '/data', { email: n < 3 ? person : other, n });
    expect((await erase({ filter: { email: person } })).result).toEqual({ entries: 2, refused: 0, files: 0 });
    expect((await call('GET', '/data')).body.data.pagination.total).toBe(1);
    const nothing = await erase({ filter: { email: person } });
    expect(nothing).toMatchObject({
      result: { entries: 0, refused: 0, files: 0 },
      expiresAt: expect.any(String),
    });
  });

  it.each([
    [{}, 'send either `filter` or `values`'],
    [{ filter: { n: 1 }, values: [1] }, 'send either `filter` or `values`'],
    [{ filter: {} }, '`filter` has no condition: name one'],
    [{ values: [person] }, /^\S+ has no `unique` member: send `filter` instead$/],
  ])('is refused for %j', async (json, message) => {
    const { call } = await application();
    const { status, body } = await call('POST', '/erasures', json);
    expect([status, body.error.message]).toEqual([400, expect.stringMatching(message)]);
  });

  it.each([
    [{ values: [] }, 'body/values must have a value'],
    [{ values: [null] }, 'body/values/0 must be a string, a number or a boolean'],
  ])('is refused for the values %j', async (json, message) => {
    const { call } = await application({ path: '/email' });
    expect((await call('POST', '/erasures', json)).body.error.message).toBe(message);
  });
});
