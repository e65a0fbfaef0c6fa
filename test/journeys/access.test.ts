import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type Call, sharedSluice, statusOf, until } from '../support/sluice.ts';

const sluice = await sharedSluice();

const callers = ['anonymous', 'ingest key', 'other user', 'owner'] as const;
type Caller = (typeof callers)[number];

/** What each caller gets in turn; 200 stands for every success. */
type Statuses = [anonymous: number, ingestKey: number, otherUser: number, owner: number];
type Row = Statuses | [...Statuses, (all: Cast) => Call];

const application = { name: 'A', type: 'web', schema: '{"type":"object"}' };
const credentials = (username: string) => ({ username, password: 'correct horse' });

const open: Statuses = [200, 200, 200, 200];
const signedIn: Statuses = [401, 401, 200, 200];
const ownersOnly: Statuses = [401, 401, 404, 200];
/** Of a job that is over, and did not fail. */
const retried: Statuses = [401, 401, 404, 409];
/** Of an application with `key_required`. */
const keysOnly: Statuses = [403, 200, 403, 403];

const files = (kind: string): Record<string, Row> => ({
  [`get /api/applications/{domain}/${kind}/{id}/file`]: ownersOnly,
});
const jobs = (kind: string): Record<string, Row> => ({
  [`get /api/applications/{domain}/${kind}`]: ownersOnly,
  [`get /api/applications/{domain}/${kind}/{id}`]: ownersOnly,
  [`get /api/applications/{domain}/${kind}/{id}/events`]: ownersOnly,
  [`post /api/applications/{domain}/${kind}/{id}/retry`]: retried,
  [`delete /api/applications/{domain}/${kind}/{id}`]: ownersOnly,
});

/** Who may do what: every route there is. `{username}` is the owner's. */
// biome-ignore format: a table, a row a line
const table: Record<string, Row> = {
  'get /api/health/live': open,
  'get /api/health/ready': open,
  'post /api/users/register': [...open, () => ({ json: { ...credentials(`u${randomBytes(6).toString('hex')}`), locale: 'en' } })],
  'post /api/users/login': [...open, ({ owner }) => ({ json: credentials(owner.username) })],
  'post /api/session': [...open, ({ owner }) => ({ json: credentials(owner.username) })],
  'post /api/session/renew': [401, 401, 401, 401],
  'delete /api/session': open,
  'put /api/users/me/password': [...signedIn, () => ({ json: { old_password: 'correct horse', new_password: 'better horse' } })],
  'put /api/users/{username}/password': [401, 401, 401, 401, () => ({ json: { code: 'wrong', new_password: 'better horse' } })],
  'get /api/users': signedIn,
  'get /api/users/me': signedIn,
  'put /api/users/me': [...signedIn, () => ({ json: { locale: 'en' } })],
  'patch /api/users/me': [...signedIn, () => ({ json: { locale: 'en' } })],
  'get /api/users/{username}': signedIn,
  'put /api/users/{username}': [401, 401, 403, 200, () => ({ json: { locale: 'en' } })],
  'patch /api/users/{username}': [401, 401, 403, 200, () => ({ json: { locale: 'en' } })],
  'post /api/applications': [...signedIn, () => ({ json: application })],
  'get /api/applications': signedIn,
  'get /api/applications/{domain}': ownersOnly,
  'put /api/applications/{domain}': [...ownersOnly, () => ({ json: { name: 'B' } })],
  'patch /api/applications/{domain}': [...ownersOnly, () => ({ json: { key_required: false } })],
  'delete /api/applications/{domain}': ownersOnly,
  'post /api/applications/{domain}/data': [...keysOnly, () => ({ json: {} })],
  'post /api/applications/{domain}/data/batch': [...keysOnly, () => ({ json: [{}] })],
  'post /api/applications/{domain}/data/validate': [...keysOnly, () => ({ json: {} })],
  'get /api/applications/{domain}/data': ownersOnly,
  'get /api/applications/{domain}/data/live': ownersOnly,
  'get /api/applications/{domain}/stats': ownersOnly,
  'get /api/applications/{domain}/data/{id}': ownersOnly,
  'delete /api/applications/{domain}/data/{id}': ownersOnly,
  'get /api/applications/{domain}/schemas': ownersOnly,
  'get /api/applications/{domain}/schemas/{version}': ownersOnly,
  'post /api/applications/{domain}/schemas': [...ownersOnly, () => ({ json: { schema: { type: 'object' } } })],
  'post /api/applications/{domain}/rehearsals': [...ownersOnly, () => ({ json: { schema: { type: 'object' } } })],
  'get /api/applications/{domain}/refused': ownersOnly,
  'delete /api/applications/{domain}/refused': ownersOnly,
  'get /api/applications/{domain}/refused/groups': ownersOnly,
  'patch /api/applications/{domain}/refused/groups': [
    ...ownersOnly,
    () => ({ json: { path: '', keyword: 'type', dismissed: true } }),
  ],
  'post /api/applications/{domain}/replays': [...ownersOnly, () => ({ json: {} })],
  'post /api/applications/{domain}/restore': ownersOnly,
  'get /api/applications/{domain}/export': ownersOnly,
  'post /api/applications/{domain}/exports': [...ownersOnly, () => ({ json: {} })],
  'post /api/applications/{domain}/imports': [...ownersOnly, () => ({ json: [{}] })],
  ...jobs('exports'),
  ...files('exports'),
  ...jobs('imports'),
  ...files('imports'),
  ...jobs('rehearsals'),
  ...files('rehearsals'),
  ...jobs('replays'),
  'post /api/applications/{domain}/deletions': [...ownersOnly, () => ({ json: { to: '2020-01-01' } })],
  ...jobs('deletions'),
  'get /api/audit': signedIn,
  'get /api/applications/{domain}/keys': ownersOnly,
  'post /api/applications/{domain}/keys': [...ownersOnly, () => ({ json: { name: 'n' } })],
  'post /api/applications/{domain}/keys/{id}/rotate': ownersOnly,
  'delete /api/applications/{domain}/keys/{id}': ownersOnly,
};

/** An application that wants a key, its owner, another user, and a key. */
async function cast() {
  const [owner, other] = await Promise.all([sluice.owner(), sluice.owner()]);
  const { token } = owner;
  const domain = await sluice.application(token);
  const json = { key_required: true };
  await sluice.request('PATCH', `/applications/${domain}`, { token, json });
  const issued = await sluice.request('POST', `/applications/${domain}/keys`, { token, json: { name: 'n' } });
  return { owner, other, domain, key: issued.body.data as { id: string; key: string } };
}

type Cast = Awaited<ReturnType<typeof cast>>;

/** What makes a job of each kind. */
const making: Record<string, unknown> = {
  exports: {},
  imports: [{}],
  rehearsals: { schema: { type: 'object' } },
  replays: {},
  deletions: { to: '2020-01-01' },
};

/** What `{id}` stands for: a key, an entry, or a job that is over. */
async function idIn(route: string, { owner: { token }, domain, key }: Cast): Promise<string> {
  const kind = /\{domain\}\/(\w+)\/\{id\}/.exec(route)?.[1] ?? '';
  const path = `/applications/${domain}`;
  if (kind === 'data') {
    const headers = { authorization: `Bearer ${key.key}` };
    const stored = await sluice.request('POST', `${path}/data`, { json: {}, headers });
    return stored.headers.get('entry-id') as string;
  }
  const json = making[kind];
  if (!json) return key.id;
  const { id } = (await sluice.request('POST', `${path}/${kind}`, { token, json })).body.data;
  await until(async () => {
    const { body } = await sluice.request('GET', `${path}/${kind}/${id}`, { token });
    return body.data.state === 'completed';
  });
  return id;
}

describe('who may do what', () => {
  it('is said here of every route', async () => {
    const { paths } = (await sluice.request('GET', '/openapi.json')).body;
    const routes = Object.entries<object>(paths).flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => `${method} ${path}`),
    );
    // HEAD is GET without the body.
    const told = Object.keys(table).flatMap((route) => [route, route.replace(/^get /, 'head ')]);
    expect(routes.filter((route) => !told.includes(route))).toEqual([]);
    expect(Object.keys(table).filter((route) => !routes.includes(route))).toEqual([]);
  });

  it.each(Object.entries(table))('%s', async (route, row) => {
    const all = await cast();
    const id = await idIn(route, all);
    const [method, path] = route.split(' ') as [string, string];
    const where = path
      .replace('{domain}', all.domain)
      .replace('{username}', all.owner.username)
      .replace('{version}', '1')
      .replace('{id}', id);
    const tokens: Record<Caller, string | undefined> = {
      anonymous: undefined,
      'ingest key': all.key.key,
      'other user': all.other.token,
      owner: all.owner.token,
    };
    const [, , , , make] = row;
    const seen: number[] = [];
    // The owner comes last: what the route does then is done.
    for (const caller of callers) {
      const token = tokens[caller];
      const status = path.endsWith('/data/live')
        ? await statusOf(`${sluice.url}${where}`, {
            headers: token ? { authorization: `Bearer ${token}` } : {},
          })
        : (await sluice.request(method.toUpperCase(), where.replace('/api', ''), { token, ...make?.(all) }))
            .status;
      seen.push(status < 300 ? 200 : status);
    }
    expect(Object.fromEntries(callers.map((caller, i) => [caller, seen[i]]))).toEqual(
      Object.fromEntries(callers.map((caller, i) => [caller, row[i]])),
    );
  });

  it('is no more with a key as X-Api-Key, where a token is wanted', async () => {
    const { domain, key } = await cast();
    for (const path of ['', '/data', '/export', '/keys', '/imports']) {
      const headers = { 'x-api-key': key.key };
      expect((await sluice.request('GET', `/applications/${domain}${path}`, { headers })).status).toBe(401);
    }
  });
});
