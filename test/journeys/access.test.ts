import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type Call, sharedSluice, statusOf, storeOf, until } from '../support/sluice.ts';

const sluice = await sharedSluice({ env: { SECRETS_KEY: 'a secret of tests' } });

const callers = [
  'anonymous',
  'ingest key',
  'other user',
  'reader',
  'editor',
  'owner',
  'read token',
  'write token',
  'upload token',
] as const;
type Caller = (typeof callers)[number];
type Statuses = Record<Caller, number>;

/** `statuses`: what each caller gets; 200 stands for every success. */
type Row = [statuses: Statuses, make?: (all: Cast) => Call];

const webhook = { url: 'https://example.com/', events: ['export.failed'] };
/** Each in a place of its own. */
const archive = () => ({
  to: {
    kind: 's3',
    bucket: `b${randomBytes(6).toString('hex')}`,
    access_key_id: 'a',
    secret_access_key: 'b',
  },
  format: 'csv',
  every: '1d',
  from: 'now',
});
/** Each with a name of its own. */
const question = () => ({ name: randomBytes(6).toString('hex'), sql: 'select 1' });
const view = () => ({ name: randomBytes(6).toString('hex'), query: '' });
const application = { name: 'A', type: 'web', schema: '{"type":"object"}' };
const credentials = (username: string) => ({ username, password: 'correct horse' });

const inTurn = (...statuses: number[]) =>
  Object.fromEntries(callers.map((caller, i) => [caller, statuses[i]])) as Statuses;

/** The tokens are the owner's; `done` is the status of whoever may. */
const open = inTurn(200, 200, 200, 200, 200, 200, 200, 200, 200);
const reading = inTurn(401, 401, 200, 200, 200, 200, 200, 403, 403);
const changing = inTurn(401, 401, 200, 200, 200, 200, 403, 200, 403);
const loggedIn = inTurn(401, 401, 200, 200, 200, 200, 403, 403, 403);
const readers = (done = 200) => inTurn(401, 401, 404, done, done, done, done, 403, 403);
const editors = (done = 200) => inTurn(401, 401, 404, 403, done, done, 403, done, 403);
const owners = (done = 200) => inTurn(401, 401, 404, 403, 403, done, 403, done, 403);
/** Of an application with `key_required`. */
const uploaders = inTurn(403, 200, 403, 403, 403, 403, 403, 403, 200);

const jobs = (kind: string, who: typeof readers, hasFile = true): Record<string, Row> => {
  const path = `/api/applications/{domain}/${kind}`;
  return {
    [`get ${path}`]: [who()],
    [`get ${path}/{id}`]: [who()],
    [`get ${path}/{id}/events`]: [who()],
    // Of a job that is over, and did not fail.
    [`post ${path}/{id}/retry`]: [who(409)],
    [`delete ${path}/{id}`]: [who()],
    ...(hasFile && { [`get ${path}/{id}/file`]: [who()] }),
  };
};

/** Of `a.csv`, with four bytes. */
const ofUpload = { 'upload-length': '4', 'upload-metadata': 'filename YS5jc3Y=' };

/** Who may do what: every route there is. `{username}` is the owner's. */
// biome-ignore format: a table, a row a line
const table: Record<string, Row> = {
  'get /api/health/live': [open],
  'get /api/health/ready': [open],
  'post /api/users/register': [open, () => ({ json: { ...credentials(`u${randomBytes(6).toString('hex')}`), locale: 'en' } })],
  'put /api/users/me/email': [inTurn(401, 401, 400, 400, 400, 400, 403, 403, 403), () => ({ json: { email: 'ada@example.com' } })],
  'delete /api/users/me/email': [loggedIn],
  'post /api/users/confirm-email': [inTurn(401, 401, 401, 401, 401, 401, 401, 401, 401), () => ({ json: { code: 'x' } })],
  'post /api/users/login': [open, ({ owner }) => ({ json: credentials(owner.username) })],
  'get /api/users/me/alerts/{domain}': [readers()],
  'patch /api/users/me/alerts/{domain}': [inTurn(401, 401, 404, 200, 200, 200, 403, 200, 403), () => ({ json: { jobs: true } })],
  'post /api/session': [open, ({ owner }) => ({ json: credentials(owner.username) })],
  'post /api/session/renew': [inTurn(401, 401, 401, 401, 401, 401, 401, 401, 401)],
  'delete /api/session': [open],
  'get /api/session/providers': [open],
  // Without a provider.
  'get /api/session/oidc': [inTurn(404, 404, 404, 404, 404, 404, 404, 404, 404)],
  'post /api/session/oidc': [inTurn(404, 404, 404, 404, 404, 404, 404, 404, 404)],
  'get /api/session/oidc/callback': [inTurn(404, 404, 404, 404, 404, 404, 404, 404, 404)],
  'put /api/users/me/password': [loggedIn, () => ({ json: { old_password: 'correct horse', new_password: 'better horse' } })],
  'put /api/users/{username}/password': [inTurn(401, 401, 401, 401, 401, 401, 401, 401, 401), () => ({ json: { code: 'wrong', new_password: 'better horse' } })],
  'get /api/users': [reading],
  'get /api/users/me': [reading],
  'put /api/users/me': [changing, () => ({ json: { locale: 'en' } })],
  'patch /api/users/me': [changing, () => ({ json: { locale: 'en' } })],
  'get /api/users/{username}': [reading],
  'put /api/users/{username}': [inTurn(401, 401, 403, 403, 403, 200, 403, 200, 403), () => ({ json: { locale: 'en' } })],
  'patch /api/users/{username}': [inTurn(401, 401, 403, 403, 403, 200, 403, 200, 403), () => ({ json: { locale: 'en' } })],
  'post /api/applications': [changing, () => ({ json: application })],
  'get /api/applications': [reading],
  'get /api/applications/{domain}': [readers()],
  'put /api/applications/{domain}': [editors(), () => ({ json: { name: 'B' } })],
  'patch /api/applications/{domain}': [editors(), () => ({ json: { key_required: false } })],
  'delete /api/applications/{domain}': [owners()],
  'post /api/applications/{domain}/data': [uploaders, () => ({ json: {} })],
  'post /api/applications/{domain}/data/batch': [uploaders, () => ({ json: [{}] })],
  'post /api/applications/{domain}/data/validate': [uploaders, () => ({ json: {} })],
  'get /api/applications/{domain}/data': [readers()],
  'get /api/applications/{domain}/data/live': [readers()],
  'post /api/applications/{domain}/data/missing': [inTurn(401, 200, 404, 200, 200, 200, 200, 403, 403), () => ({ json: { keys: ['k'] } })],
  'get /api/applications/{domain}/stats': [readers()],
  // Without a query worker.
  'get /api/applications/{domain}/fields': [readers(503)],
  'post /api/applications/{domain}/query': [readers(503), () => ({ json: { sql: 'select 1' } })],
  'get /api/applications/{domain}/queries': [readers()],
  'post /api/applications/{domain}/queries': [editors(), () => ({ json: question() })],
  'delete /api/applications/{domain}/queries/{id}': [editors()],
  'get /api/applications/{domain}/views': [readers()],
  // Of a private one of the owner.
  'post /api/applications/{domain}/views': [inTurn(401, 401, 404, 200, 200, 200, 403, 200, 403), () => ({ json: view() })],
  'put /api/applications/{domain}/views/{id}': [inTurn(401, 401, 404, 404, 404, 200, 403, 200, 403), () => ({ json: view() })],
  'delete /api/applications/{domain}/views/{id}': [inTurn(401, 401, 404, 404, 404, 200, 403, 200, 403)],
  'get /api/applications/{domain}/data/{id}': [readers()],
  'delete /api/applications/{domain}/data/{id}': [editors()],
  'post /api/schemas/validate': [reading, () => ({ json: { schema: { type: 'object' } } })],
  'get /api/applications/{domain}/schemas': [editors()],
  'get /api/applications/{domain}/schemas/{version}': [editors()],
  'post /api/applications/{domain}/schemas': [editors(), () => ({ json: { schema: { type: 'object' } } })],
  'get /api/applications/{domain}/clients': [readers()],
  'get /api/applications/{domain}/clients/{language}': [readers()],
  'post /api/applications/{domain}/rehearsals': [editors(), () => ({ json: { schema: { type: 'object' } } })],
  'get /api/applications/{domain}/refused': [editors()],
  'delete /api/applications/{domain}/refused': [editors()],
  'get /api/applications/{domain}/refused/groups': [editors()],
  'get /api/applications/{domain}/refused/values': [editors()],
  'patch /api/applications/{domain}/refused/groups': [editors(), () => ({ json: { path: '', keyword: 'type', dismissed: true } })],
  'post /api/applications/{domain}/replays': [editors(), () => ({ json: {} })],
  'post /api/applications/{domain}/restore': [owners()],
  'get /api/applications/{domain}/export': [readers()],
  'post /api/applications/{domain}/exports': [readers(), () => ({ json: {} })],
  'post /api/applications/{domain}/imports': [editors(), () => ({ json: [{}] })],
  'post /api/applications/{domain}/imports/from-url': [editors(), () => ({ json: { url: 'https://sluice.invalid/a.csv' } })],
  'post /api/applications/{domain}/import-files': [editors(), () => ({ headers: ofUpload })],
  'patch /api/applications/{domain}/import-files/{id}': [editors(), () => ({ body: 'a\n1\n', headers: { 'content-type': 'application/offset+octet-stream', 'upload-offset': '0' } })],
  'delete /api/applications/{domain}/import-files/{id}': [editors()],
  ...jobs('exports', readers),
  ...jobs('imports', editors),
  ...jobs('rehearsals', editors),
  ...jobs('replays', editors, false),
  'post /api/applications/{domain}/deletions': [editors(), () => ({ json: { to: '2020-01-01' } })],
  ...jobs('deletions', editors, false),
  'get /api/applications/{domain}/erasures': [owners()],
  'post /api/applications/{domain}/erasures': [owners(), () => ({ json: { filter: { n: 1 } } })],
  'get /api/applications/{domain}/erasures/{id}': [owners()],
  // Without a member that the schema requires.
  'post /api/applications/{domain}/unique': [editors(400), () => ({ json: { path: '/id' } })],
  ...jobs('unique', editors, false),
  'get /api/users/me/activity': [reading],
  'get /api/applications/{domain}/activity': [readers()],
  'get /api/applications/{domain}/keys': [editors()],
  'post /api/applications/{domain}/keys': [editors(), () => ({ json: { name: 'n' } })],
  'patch /api/applications/{domain}/keys/{id}': [editors(), () => ({ json: { name: 'n' } })],
  'post /api/applications/{domain}/keys/{id}/rotate': [editors()],
  'delete /api/applications/{domain}/keys/{id}': [editors()],
  'get /api/applications/{domain}/webhooks': [editors()],
  'post /api/applications/{domain}/webhooks': [editors(), () => ({ json: webhook })],
  'get /api/applications/{domain}/webhooks/{id}': [editors()],
  'patch /api/applications/{domain}/webhooks/{id}': [editors(), () => ({ json: { name: 'n' } })],
  'delete /api/applications/{domain}/webhooks/{id}': [editors()],
  'post /api/applications/{domain}/webhooks/{id}/ping': [editors()],
  'post /api/applications/{domain}/webhooks/{id}/rotate': [editors()],
  'get /api/applications/{domain}/webhooks/{id}/deliveries': [editors()],
  'post /api/applications/{domain}/webhooks/{id}/deliveries/{delivery}/redeliver': [editors(404)],
  'post /api/applications/{domain}/webhooks/{id}/redeliver': [editors(), () => ({ json: { from: '2026-01-01T00:00:00Z' } })],
  'get /api/applications/{domain}/archives': [editors()],
  'post /api/applications/{domain}/archives': [owners(), () => ({ json: archive() })],
  'get /api/applications/{domain}/archives/{id}': [editors()],
  'patch /api/applications/{domain}/archives/{id}': [owners(), () => ({ json: { name: 'n' } })],
  'delete /api/applications/{domain}/archives/{id}': [owners()],
  'post /api/applications/{domain}/archives/{id}/run': [owners()],
  'post /api/applications/{domain}/archives/{id}/verify': [owners()],
  'get /api/applications/{domain}/archives/{id}/runs': [editors()],
  ...jobs('verifications', editors, false),
  // Nothing was set up yet that could be confirmed or removed.
  'get /api/users/me/second-factor': [loggedIn],
  'post /api/users/me/second-factor/confirm': [inTurn(401, 401, 409, 409, 409, 409, 403, 403, 403), () => ({ json: { code: '123456' } })],
  'delete /api/users/me/second-factor': [inTurn(401, 401, 409, 409, 409, 409, 403, 403, 403), () => ({ json: { code: '123456' } })],
  'post /api/users/me/second-factor': [loggedIn],
  'get /api/users/me/sessions': [loggedIn],
  'delete /api/users/me/sessions': [loggedIn],
  'delete /api/users/me/sessions/{id}': [inTurn(401, 401, 404, 404, 404, 200, 403, 403, 403)],
  'get /api/users/me/tokens': [loggedIn],
  'post /api/users/me/tokens': [loggedIn, () => ({ json: { name: 'n', scopes: ['read'] } })],
  'delete /api/users/me/tokens/{id}': [inTurn(401, 401, 404, 404, 404, 200, 403, 403, 403)],
  'get /api/applications/{domain}/members': [readers()],
  'put /api/applications/{domain}/members/{username}': [owners(409), () => ({ json: { role: 'reader' } })],
  'delete /api/applications/{domain}/members/{username}': [inTurn(401, 401, 404, 403, 403, 404, 403, 404, 403)],
};

/** Users, and tokens of the one who is to be the owner. */
async function people() {
  const [owner, reader, editor, other] = await Promise.all(Array.from({ length: 4 }, () => sluice.owner()));
  if (!owner || !reader || !editor || !other) throw new Error('no users');
  const { token } = owner;
  const personal = async (scope: string): Promise<string> => {
    const json = { name: scope, scopes: [scope] };
    return (await sluice.request('POST', '/users/me/tokens', { token, json })).body.data.token;
  };
  const [read, write, upload] = [await personal('read'), await personal('write'), await personal('upload')];
  return { owner, reader, editor, other, read, write, upload };
}

/** With an application that wants a key, and has members. */
async function cast(all: Awaited<ReturnType<typeof people>>) {
  const { owner, reader, editor, other, read, write, upload } = all;
  const { token } = owner;
  const domain = await sluice.application(token);
  const path = `/applications/${domain}`;
  await sluice.request('PATCH', path, { token, json: { key_required: true } });
  for (const [role, { username }] of Object.entries({ reader, editor }))
    await sluice.request('PUT', `${path}/members/${username}`, { token, json: { role } });
  const { key } = (await sluice.request('POST', `${path}/keys`, { token, json: { name: 'n' } })).body.data;
  const tokens: Record<Caller, string | undefined> = {
    anonymous: undefined,
    'ingest key': key,
    'other user': other.token,
    reader: reader.token,
    editor: editor.token,
    owner: token,
    'read token': read,
    'write token': write,
    'upload token': upload,
  };
  return { owner, domain, key, tokens };
}

type Cast = Awaited<ReturnType<typeof cast>>;

/** What makes a token, a key, a webhook, or a job of each kind. */
const making: Record<string, unknown> = {
  exports: {},
  imports: [{}],
  rehearsals: { schema: { type: 'object' } },
  replays: {},
  deletions: { to: '2020-01-01' },
  erasures: { filter: { n: 1 } },
  webhooks: webhook,
  get archives() {
    return archive();
  },
  get queries() {
    return question();
  },
  get views() {
    return view();
  },
  keys: { name: 'another' },
  tokens: { name: 'another', scopes: ['read'] },
};

/** What `{id}` stands for: a token, a key, an entry, a webhook, or a job that is over. It is a new one each time. */
async function idIn(route: string, { owner, domain, key }: Cast): Promise<string> {
  const kind = /(\w+)\/\{id\}/.exec(route)?.[1];
  if (!kind) return '';
  const { token } = owner;
  const path = `/applications/${domain}`;
  if (kind === 'data') {
    const headers = { authorization: `Bearer ${key}` };
    const stored = await sluice.request('POST', `${path}/data`, { json: {}, headers });
    return stored.headers.get('entry-id') as string;
  }
  if (kind === 'files') {
    const begun = await sluice.request('POST', `${path}/import-files`, { token, headers: ofUpload });
    return begun.body.data.id;
  }
  if (kind === 'sessions') {
    const json = credentials(owner.username);
    await sluice.request('POST', '/session', { json });
    return (await sluice.request('GET', '/users/me/sessions', { token })).body.data[0].id;
  }
  if (kind === 'unique' || kind === 'verifications') {
    const { applications, jobs } = storeOf(sluice);
    const found = await applications.byDomain(domain);
    const { id = '' } = found ?? {};
    const job = { application: id, owner: found?.owner.id ?? '', domain };
    const made =
      kind === 'unique'
        ? await jobs.create<'unique'>({ ...job, kind, options: { path: '/id' } })
        : await jobs.create<'verification'>({ ...job, kind: 'verification', options: { archive: id } });
    await jobs.cancel(made.id, new Date(Date.now() + 60_000));
    return made.id;
  }
  const where = kind === 'tokens' ? '/users/me/tokens' : `${path}/${kind}`;
  const { id } = (await sluice.request('POST', where, { token, json: making[kind] })).body.data;
  if (['tokens', 'keys', 'webhooks', 'archives', 'queries', 'views'].includes(kind)) return id;
  await until(async () => {
    const { body } = await sluice.request('GET', `${path}/${kind}/${id}`, { token });
    return body.data.state === 'completed';
  });
  return id;
}

const everyone = people();
/** Of all routes that leave it as it is. */
const audience = everyone.then(cast);
const newPassword = 'put /api/users/me/password';
/** What these do leaves no token, or no application, for the next caller. */
const endsCast = [newPassword, 'delete /api/applications/{domain}'];

describe('who may do what', () => {
  it('is said here of every route', async () => {
    const { paths } = (await sluice.request('GET', '/openapi.json')).body;
    const routes = Object.entries<object>(paths).flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => `${method} ${path}`),
    );
    // HEAD is GET without the body.
    const told = Object.keys(table).flatMap((route) => [route, route.replace(/^get /, 'head ')]);
    expect(routes.filter((route) => !told.includes(route))).toEqual([]);
    // PUT of what has PATCH does the same.
    const described = [...routes, ...routes.map((route) => route.replace(/^patch /, 'put '))];
    expect(Object.keys(table).filter((route) => !described.includes(route))).toEqual([]);
  });

  it.each(Object.entries(table))('%s', async (route, [statuses, make]) => {
    const [method, path] = route.split(' ') as [string, string];
    const newCast = async () => cast(await (route === newPassword ? people() : everyone));
    const isKept = method === 'get' || (!path.includes('{domain}') && route !== newPassword);
    let all = await (isKept ? audience : newCast());
    const whereTo = async () =>
      path
        .replace('{domain}', all.domain)
        .replace('{username}', all.owner.username)
        .replace('{version}', '1')
        .replace('{language}', 'python')
        .replace('{delivery}', '0'.repeat(24))
        .replace('{id}', await idIn(route, all))
        .concat(route.startsWith('post') && route.endsWith('/unique') ? '?dry_run=true' : '');
    let where = await whereTo();
    const seen: Partial<Statuses> = {};
    for (const caller of callers) {
      const token = all.tokens[caller];
      const status = path.endsWith('/data/live')
        ? await statusOf(`${sluice.url}${where}`, {
            headers: token ? { authorization: `Bearer ${token}` } : {},
          })
        : (await sluice.request(method.toUpperCase(), where.replace('/api', ''), { token, ...make?.(all) }))
            .status;
      seen[caller] = status < 300 ? 200 : status;
      // What the route does is done.
      if (status >= 300 || method === 'get') continue;
      if (endsCast.includes(route)) all = await newCast();
      where = await whereTo();
    }
    expect(seen).toEqual(statuses);
  });

  it('is no more with a key as X-Api-Key, where a token is wanted', async () => {
    const { domain, key } = await cast(await everyone);
    for (const path of ['', '/data', '/export', '/keys', '/imports']) {
      const headers = { 'x-api-key': key };
      expect((await sluice.request('GET', `/applications/${domain}${path}`, { headers })).status).toBe(401);
    }
  });
});
