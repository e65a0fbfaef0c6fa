import { randomBytes } from 'node:crypto';
import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { exportClient } from '../support/export-client.ts';
import { importClient } from '../support/import-client.ts';
import { runApi } from '../support/service-process.ts';
import {
  type Answer,
  call,
  ownStores,
  quickPurges,
  type Sluice,
  startSluice,
  storeOf,
  until,
} from '../support/sluice.ts';

let sluice: Sluice;
beforeAll(async () => {
  sluice = await startSluice({ env: { AUDIT_RETENTION: '2d' }, workerEnv: quickPurges });
});
afterAll(() => sluice.stop());

const audit = (token: string, query = ''): Promise<Answer> =>
  sluice.request('GET', `/users/me/activity${query}`, { token });

/** The log once it has so many records: one that takes more than a second is not waited for by the request it tells of. */
async function auditOf(token: string, count: number): Promise<Answer> {
  let answer: Answer | undefined;
  await until(async () => {
    answer = await audit(token);
    return answer.body.data.result.length >= count;
  });
  return answer as Answer;
}

/** So many or more, newest first: what was done to what. */
async function events(token: string, count: number) {
  const { body } = await auditOf(token, count);
  return body.data.result.map((event: Record<string, unknown>) => {
    const { action, application, job, key, details } = event;
    return { action, application, job, key, details };
  });
}

const wrongLogin = (username: string) =>
  sluice.request('POST', '/users/login', { json: { username, password: 'wrong horse' } });

/** The documents of an audit log, as they are stored. */
function storedIn({ MONGODB_URL }: Record<string, string>) {
  const client = new MongoClient(MONGODB_URL as string);
  onTestFinished(() => client.close());
  return { db: client.db(), documents: client.db().collection('audit') };
}

describe('the audit log', () => {
  it('tells what happened to an account, newest first, with who, when and from where', async () => {
    const { username, token } = await sluice.owner();
    await sluice.request('PATCH', `/users/${username}`, { token, json: { locale: 'en' } });
    const change = { old_password: 'correct horse', new_password: 'better horse' };
    await sluice.request('PUT', '/users/me/password', { token, json: change });
    const login = await sluice.request('POST', '/users/login', {
      json: { username, password: 'better horse' },
      headers: { 'x-request-id': 'the-second-login' },
    });
    const { status, body } = await auditOf(login.body.data.token, 5);
    expect(status).toBe(200);
    expect(body.data.result.map(({ action }: { action: string }) => action)).toEqual([
      'user.logged-in',
      'user.password-changed',
      'user.updated',
      'user.logged-in',
      'user.registered',
    ]);
    expect(body.data.cursor).toBeUndefined();
    const [first, , updated] = body.data.result;
    expect(first).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{24}$/),
      action: 'user.logged-in',
      at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      actor: username,
      via: 'password',
      address: '127.0.0.1',
      request_id: 'the-second-login',
    });
    expect(updated.details).toEqual({ changed: ['locale'] });
  });

  it('tells what was done with applications and jobs, also after the application is gone', async () => {
    const { token } = await sluice.owner();
    const domain = await sluice.application(token);
    const path = `/applications/${domain}`;
    await sluice.request('POST', `${path}/data`, { json: { secret: 'payload-marker' } });
    await sluice.request('PATCH', path, { token, json: { name: 'Renamed', type: 'web' } });

    const exports = exportClient(sluice.url, token);
    const made = await exports.create(domain);
    await exports.over(domain, made);
    const file = (method: string, headers: Record<string, string>) =>
      sluice.request(method, `${path}/exports/${made}/file`, { token, headers });
    const whole = await file('GET', { 'accept-encoding': 'identity' });
    await file('GET', { range: 'bytes=2-5' });
    await file('HEAD', {});
    await file('GET', {
      'accept-encoding': 'identity',
      'if-none-match': whole.headers.get('etag') as string,
    });
    await exports.remove(domain, made);
    await sluice.request('GET', `${path}/export`, { token });

    const { complete } = importClient(sluice, token);
    const { job } = await complete(domain, '{"secret":"payload-marker"}\n');
    await sluice.request('DELETE', `${path}/imports/${job.id}`, { token });

    const { applications } = storeOf(sluice);
    const id = (await applications.byDomain(domain))?.id as string;
    await sluice.request('DELETE', path, { token });
    await until(async () => (await applications.tombstone(id)) === undefined);

    const on = { application: domain };
    expect(await events(token, 12)).toEqual([
      { action: 'application.deleted', ...on },
      { action: 'import.removed', ...on, job: job.id, details: { cancelled: false } },
      { action: 'import.made', ...on, job: job.id },
      { action: 'export.downloaded', ...on, job: expect.any(String), details: { streamed: true } },
      { action: 'export.removed', ...on, job: made, details: { cancelled: false } },
      { action: 'export.downloaded', ...on, job: made, details: { range: '2-5' } },
      { action: 'export.downloaded', ...on, job: made },
      { action: 'export.made', ...on, job: made },
      { action: 'application.updated', ...on, details: { changed: ['name', 'type'] } },
      { action: 'application.created', ...on },
      { action: 'user.logged-in' },
      { action: 'user.registered' },
    ]);
  });

  it('tells of the keys of an application, by their ids', async () => {
    const { token } = await sluice.owner();
    const domain = await sluice.application(token);
    const path = `/applications/${domain}/keys`;
    const { body } = await sluice.request('POST', path, { token, json: { name: 'station' } });
    const { id } = body.data;
    await sluice.request('POST', `${path}/${id}/rotate`, { token });
    await sluice.request('PATCH', `${path}/${id}`, { token, json: { name: 'roof' } });
    await sluice.request('DELETE', `${path}/${id}`, { token });
    const ofKeys = (await events(token, 7)).filter(({ key }: { key?: string }) => key !== undefined);
    expect(ofKeys).toEqual(
      ['revoked', 'updated', 'rotated', 'created'].map((what) => ({
        action: `key.${what}`,
        application: domain,
        key: id,
        ...(what === 'updated' && { details: { changed: ['name'] } }),
      })),
    );
  });

  it('counts failed logins instead of keeping each, and knows nothing of users that there are not', async () => {
    const { username, token } = await sluice.owner();
    const failed = async () =>
      (await events(token, 0)).filter(({ action }: { action: string }) => action === 'user.login-failed');
    const counted = async () =>
      (await failed()).reduce(
        (sum: number, { details }: { details: { count: number } }) => sum + details.count,
        0,
      );
    // No more: the next one would have to wait.
    await Promise.all(Array.from({ length: 5 }, () => wrongLogin(username)));
    await until(async () => (await counted()) === 5);
    // Two where a minute ended meanwhile.
    expect((await failed()).length).toBeLessThanOrEqual(2);
    expect(Date.parse((await failed())[0].details.lastAt)).toBeGreaterThan(Date.now() - 60_000);

    const { documents } = storedIn(sluice.env);
    const nobody = `n${randomBytes(6).toString('hex')}`;
    await wrongLogin(nobody);
    expect(await documents.countDocuments({ username: nobody })).toBe(0);
  });

  it('shows nothing to others', async () => {
    const [one, other] = [await sluice.owner(), await sluice.owner()];
    const names = (await auditOf(one.token, 2)).body.data.result.map(({ actor }: { actor: string }) => actor);
    expect(new Set(names)).toEqual(new Set([one.username]));
    expect((await audit(other.token)).text).not.toContain(one.username);
    expect((await sluice.request('GET', '/users/me/activity')).status).toBe(401);
  });

  it('has the same events in pages as in one', async () => {
    const { token } = await sluice.owner();
    for (let i = 0; i < 5; i++) await sluice.application(token);
    const all = (await auditOf(token, 7)).body.data.result;
    expect(all).toHaveLength(7);
    const paged = [];
    let query = '?limit=2';
    for (;;) {
      const { result, cursor } = (await audit(token, query)).body.data;
      paged.push(...result);
      if (cursor === undefined) break;
      expect(result).toHaveLength(2);
      query = `?limit=2&after=${cursor}`;
    }
    expect(paged).toEqual(all);
  });

  it.each([
    'limit=0',
    'limit=1001',
    'limit=ten',
    'limit=',
    'after=',
    'after=nonsense',
    `after=${'A'.repeat(25)}`,
    'before=x',
  ])('refuses ?%s', async (query) => {
    const { token } = await sluice.owner();
    const { status, body } = await audit(token, `?${query}`);
    expect([status, body.error.name]).toEqual([400, 'InvalidRequestError']);
  });

  it('holds neither passwords nor tokens nor payloads, and says when each record goes', async () => {
    const { token } = await sluice.owner();
    const { documents } = storedIn(sluice.env);
    const found = await documents.find().toArray();
    const text = JSON.stringify(found);
    for (const secret of ['horse', 'payload-marker', token, '$2b$']) expect(text).not.toContain(secret);
    for (const { at, expiresAt } of found) expect(expiresAt - at).toBe(2 * 86_400_000);
    expect(await documents.indexes()).toContainEqual(
      expect.objectContaining({ key: { expiresAt: 1 }, expireAfterSeconds: 0 }),
    );
  });

  it('fails no request when a record cannot be written, and logs that it is missed', async () => {
    const env = ownStores();
    const { url, output } = await runApi({ ...env, LOG_LEVEL: 'warn' });
    const { db, documents } = storedIn(env);
    await db.command({ collMod: 'audit', validator: { impossible: { $exists: true } } });
    const json = { username: 'unwatched', password: 'correct horse' };
    const registered = await call(url, 'POST', '/api/users/register', { json: { ...json, locale: 'en' } });
    const login = await call(url, 'POST', '/api/users/login', { json });
    const refused = await call(url, 'POST', '/api/users/login', { json: { ...json, password: 'wrong' } });
    expect([registered.status, login.status, refused.status]).toEqual([200, 200, 401]);
    expect(await documents.countDocuments()).toBe(0);
    await until(async () => output.text.split('"event":"audit.missed"').length === 4);
    expect(output.text).toContain('"action":"user.logged-in"');
    expect(output.text).not.toMatch(/correct horse|\$2b\$/);
  });
});
