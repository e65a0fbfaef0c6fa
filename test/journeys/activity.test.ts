import { connectStore } from '@sluice/jobs/connect.ts';
import { MongoClient, ObjectId } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { actOnAccount } from '../support/acts/accounts.ts';
import { actOnArchives, actOnKeys, actOnSettings, actOnWebhooks } from '../support/acts/application.ts';
import { actOnData } from '../support/acts/data.ts';
import { type Recorder, recorder } from '../support/acts/recorder.ts';
import { admin } from '../support/admin-command.ts';
import { type Sluice, startSluice, until } from '../support/sluice.ts';

interface Event extends Record<string, unknown> {
  id: string;
  at: string;
  actor: string;
  action: string;
  request_id: string;
  application?: string;
}

let sluice: Sluice;
let owner: { username: string; token: string };
let reader: { username: string; token: string };
let domain: string;
let acts: Recorder['acts'];
let secrets: string[];
/** The whole audit log, as the operator prints it. */
let log: Event[];

async function printed(...args: string[]): Promise<Event[]> {
  const { code, stdout, stderr } = await admin(sluice.env, ['audit', ...args]);
  expect([code, stderr]).toEqual([0, '']);
  return stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

const activity = (token: string, query = '', path = `/applications/${domain}/activity`) =>
  sluice.request('GET', `${path}${query}`, { token });

const eventsOf = async (...given: Parameters<typeof activity>): Promise<Event[]> =>
  (await activity(...given)).body.data.result;

beforeAll(async () => {
  const env = {
    SECRETS_KEY: 'a secret of tests',
    DELETION_GRACE: '1h',
    MAIL_FROM: 'sluice@example.com',
    PUBLIC_URL: 'https://sluice.example',
  };
  sluice = await startSluice({ env, workers: false });
  const url = sluice.env.MONGODB_URL as string;
  const mongodb = await MongoClient.connect(url);
  const store = connectStore({ url, timeoutMs: 60_000 }, 'sluice-test', 'impatient');
  const recording = recorder(sluice);
  ({ acts } = recording);

  secrets = await actOnAccount(recording, 'grace', async (what) => {
    const { id = '' } = (await store.users.byName('grace')) ?? {};
    const issuer = what === 'password' ? store.users : store.addresses;
    return (await issuer.issueCode(id, 60_000))?.code as string;
  });

  owner = await sluice.owner();
  reader = await sluice.owner();
  const member = await sluice.owner();
  const program = (
    await sluice.request('POST', '/users/me/tokens', {
      token: owner.token,
      json: { name: 'Nightly', scopes: ['read', 'write', 'upload'] },
    })
  ).body.data;
  const { token } = program;
  secrets.push(token, owner.token, reader.token, member.token);
  const did = (action: string, before?: object, after?: object) => ({
    action,
    actor: owner.username,
    via: program.id,
    token: 'Nightly',
    before,
    after,
  });
  const json = { name: 'Test', type: 'other', schema: '{"type":"object"}' };
  const created = did('application.created', undefined, expect.objectContaining({ name: 'Test' }));
  domain = (await recording.act('post /api/applications', { token, json }, created)).body.data.domain;
  const given = { domain, token, did };
  await actOnSettings(recording, given, member);
  secrets.push(...(await actOnKeys(recording, given)), ...(await actOnWebhooks(recording, given)));
  secrets.push(...(await actOnArchives(recording, given)));
  const verification = (await store.jobs.newest('waiting', 10)).find(({ kind }) => kind === 'verification');
  secrets.push(
    ...(await actOnData(recording, given, {
      verification: verification?.id as string,
      fail: async (id) => {
        const failed = { $set: { state: 'failed', error: 'no room' } };
        await mongodb
          .db()
          .collection('jobs')
          .updateOne({ _id: new ObjectId(id) }, failed);
      },
    })),
  );
  const path = '/api/applications/{domain}';
  const gone = did('application.deleted', expect.objectContaining({ name: 'On the roof' }));
  await recording.act(`delete ${path}`, { token, in: { domain } }, gone);
  const restored = did('application.restored', undefined, expect.objectContaining({ name: 'On the roof' }));
  await recording.act(`post ${path}/restore`, { token, in: { domain } }, restored);
  await sluice.request('PUT', `/applications/${domain}/members/${reader.username}`, {
    token: owner.token,
    json: { role: 'reader' },
  });
  await mongodb.close();
  await store.close();

  const expected = acts.filter(({ expected }) => expected).length;
  const readAll = async () => {
    log = await printed();
    return log.filter(({ request_id }) => request_id.startsWith('act-')).length >= expected;
  };
  // A test says which one is missing.
  await until(readAll, 20_000).catch(() => undefined);
});
afterAll(() => sluice.stop());

describe('what is done', () => {
  it('is told here of every route that may change something', async () => {
    const { paths } = (await sluice.request('GET', '/openapi.json')).body;
    const routes = Object.entries<object>(paths).flatMap(([path, operations]) =>
      Object.keys(operations)
        .filter((method) => !['get', 'head'].includes(method))
        .map((method) => `${method} ${path}`),
    );
    const told = new Set(acts.map(({ route }) => route));
    expect(routes.filter((route) => !told.has(route))).toEqual([]);
  });

  it('leaves exactly one event, with who, by which token, and what has changed', () => {
    const left = acts.map(({ route, requestId }) => {
      const events = log.filter(({ request_id }) => request_id === requestId);
      return {
        route,
        events: events.map((event) => {
          const { action, actor, via, token, before, after } = event;
          return { action, actor, via, token, before, after };
        }),
      };
    });
    expect(left).toEqual(acts.map(({ route, expected }) => ({ route, events: expected ? [expected] : [] })));
  });

  it('is told without passwords, tokens, keys, payloads and codes', () => {
    const text = JSON.stringify(log);
    expect(secrets.length).toBeGreaterThan(15);
    for (const secret of secrets) expect(text).not.toContain(secret);
  });
});

describe('the activity of an application', () => {
  it('is all that was done with it, newest first, without addresses', async () => {
    const expected = log
      .filter(({ application }) => application === domain)
      .map(({ username: _, address: __, request_id: ___, ...event }) => event);
    expect(await eventsOf(owner.token, '?limit=1000')).toEqual(expected.toReversed());
  });

  it('tells a reader no values of what only editors read', async () => {
    const all = await eventsOf(owner.token, '?limit=1000');
    const { body, text } = await activity(reader.token, '?limit=1000');
    expect(body.data.result.map(({ id }: Event) => id)).toEqual(all.map(({ id }) => id));
    for (const hidden of ['Sensor', 'hooks.example.com', 'lake', 'version'])
      expect(text).not.toContain(hidden);
    for (const shown of ['On the roof', 'Daily', 'member.set']) expect(text).toContain(shown);
  });

  it('comes in pages', async () => {
    const all = await eventsOf(owner.token, '?limit=1000');
    const paged: Event[] = [];
    let cursor = '';
    do {
      const { data } = (await activity(owner.token, `?limit=7${cursor && `&after=${cursor}`}`)).body;
      paged.push(...data.result);
      cursor = data.cursor;
    } while (cursor);
    expect(paged).toEqual(all);
  });

  it.each([
    ['action=key', ({ action }: Event) => action.startsWith('key.')],
    ['action=key.revoked', ({ action }: Event) => action === 'key.revoked'],
    ['action=key&limit=1', ({ action }: Event) => action === 'key.revoked'],
    ['actor=nobody', () => false],
    ['actor=sluice-admin', () => false],
  ])('%s selects', async (query, isSelected: (event: Event) => boolean) => {
    const all = await eventsOf(owner.token, '?limit=1000');
    expect(await eventsOf(owner.token, `?${query}`)).toEqual(all.filter(isSelected));
  });

  it('can be of one actor, and of a period, also as the operator prints it', async () => {
    const [left] = await eventsOf(owner.token, '?action=member.removed');
    const { actor = '', at = '' } = left ?? {};
    expect(await eventsOf(owner.token, `?actor=${actor}`)).toEqual([left]);
    const all = await eventsOf(owner.token, '?limit=1000');
    const since = all.filter((event) => event.at >= at);
    expect(await eventsOf(owner.token, `?limit=1000&from=${at}`)).toEqual(since);
    expect(await eventsOf(owner.token, `?limit=1000&to=${at}`)).toEqual(all.filter((event) => event.at < at));
    const ids = (events: Event[]) => events.map(({ id }) => id);
    expect(ids(await printed('--application', domain, '--from', at))).toEqual(ids(since.toReversed()));
    expect(ids(await printed('--actor', actor, '--action', 'member'))).toEqual([left?.id]);
  });

  it.each(['action=nothing', 'from=yesterday', 'from=2026-02-01&to=2026-01-01', 'after=x', 'limit=0'])(
    'refuses ?%s',
    async (query) => {
      const { status, body } = await activity(owner.token, `?${query}`);
      expect([status, body.error.name]).toEqual([400, 'InvalidRequestError']);
    },
  );
});

describe('the activity of a user', () => {
  it('is what the user did, with addresses, and nothing of others', async () => {
    const expected = log
      .filter(({ username }) => username === owner.username)
      .map(({ username: _, ...event }) => event);
    expect(await eventsOf(owner.token, '?limit=1000', '/users/me/activity')).toEqual(expected.toReversed());
    expect(expected.every(({ address }) => address === '127.0.0.1')).toBe(true);
  });
});
