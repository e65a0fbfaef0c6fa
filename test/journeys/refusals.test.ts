import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Call, type Sluice, startSluice } from '../support/sluice.ts';

let sluice: Sluice;
let mine: { username: string; token: string };
let theirs: { username: string; token: string };
let domain: string;
let foreign: string;

beforeAll(async () => {
  sluice = await startSluice({
    workers: false,
    env: { BODY_LIMIT: '64KiB' },
    timings: { exportWaitMs: 1_000 },
  });
  mine = await sluice.owner();
  theirs = await sluice.owner();
  domain = await sluice.application(mine.token, {
    type: 'object',
    properties: { name: { type: 'string' }, age: { type: 'integer' } },
    required: ['name'],
  });
  foreign = await sluice.application(theirs.token);
});
afterAll(() => sluice.stop());

const registration = { username: 'new-user', password: 'correct horse', locale: 'en' };
const application = { name: 'A', type: 'web', schema: '{"type":"object"}' };
const job = '0123456789abcdef01234567';

type Row = [
  what: string,
  method: string,
  path: string,
  call: Call,
  status: number,
  name: string,
  detail?: string,
];

/** `:mine` and `:theirs` in a path are domains; `token: 'mine'` is the owner's. */
// biome-ignore format: a table, a row a line
const rows: Row[] = [
  ['no username', 'POST', '/users/register', { json: { ...registration, username: undefined } }, 400, 'InvalidRequestError', '/username'],
  ['a username of 2 characters', 'POST', '/users/register', { json: { ...registration, username: 'ab' } }, 400, 'InvalidRequestError', '/username'],
  ['a username of 21 characters', 'POST', '/users/register', { json: { ...registration, username: 'a'.repeat(21) } }, 400, 'InvalidRequestError', '/username'],
  ['a username with a blank', 'POST', '/users/register', { json: { ...registration, username: 'a b c' } }, 400, 'InvalidRequestError', '/username'],
  ['a username beyond ASCII', 'POST', '/users/register', { json: { ...registration, username: 'jürgen' } }, 400, 'InvalidRequestError', '/username'],
  ['a username that is a number', 'POST', '/users/register', { json: { ...registration, username: 12345 } }, 400, 'InvalidRequestError', '/username'],
  ['a password of 7 characters', 'POST', '/users/register', { json: { ...registration, password: '1234567' } }, 400, 'InvalidRequestError', '/password'],
  ['a password of 73 bytes', 'POST', '/users/register', { json: { ...registration, password: `${'ü'.repeat(36)}x` } }, 400, 'InvalidRequestError', '/password'],
  ['a password with NUL', 'POST', '/users/register', { json: { ...registration, password: 'abcd\0abcd' } }, 400, 'InvalidRequestError', '/password'],
  ['a password of NUL alone', 'POST', '/users/register', { json: { ...registration, password: '\0'.repeat(8) } }, 400, 'InvalidRequestError', '/password'],
  ['no locale', 'POST', '/users/register', { json: { ...registration, locale: undefined } }, 400, 'InvalidRequestError', '/locale'],
  ['an unknown locale', 'POST', '/users/register', { json: { ...registration, locale: 'xx' } }, 400, 'InvalidRequestError', '/locale'],
  ['a code of no link', 'POST', '/users/register', { json: { ...registration, code: 'x' } }, 401, 'InvalidCredentialsError'],
  ['an unknown field', 'POST', '/users/register', { json: { ...registration, admin: true } }, 400, 'InvalidRequestError', '/admin'],
  ['an array for a registration', 'POST', '/users/register', { json: [] }, 400, 'InvalidRequestError'],
  ['no body', 'POST', '/users/register', {}, 400, 'InvalidRequestError'],
  ['an empty JSON body', 'POST', '/users/register', { body: '' , headers: { 'content-type': 'application/json' } }, 400, 'MalformedBodyError'],
  ['half a JSON body', 'POST', '/users/login', { body: '{"username":' }, 400, 'MalformedBodyError'],
  ['the key __proto__', 'POST', '/users/login', { body: '{"__proto__":{},"username":"a","password":"b"}' }, 400, 'MalformedBodyError'],
  ['invalid UTF-8', 'POST', '/users/login', { body: Buffer.from([0x22, 0xff, 0x22]) }, 400, 'MalformedBodyError'],
  ['text', 'POST', '/users/login', { body: 'hello', headers: { 'content-type': 'text/plain' } }, 415, 'UnsupportedMediaTypeError'],
  ['a form', 'POST', '/users/login', { body: 'a=b', headers: { 'content-type': 'application/x-www-form-urlencoded' } }, 415, 'UnsupportedMediaTypeError'],
  ['JSON in latin1', 'POST', '/users/login', { body: '{}', headers: { 'content-type': 'application/json; charset=latin1' } }, 415, 'UnsupportedMediaTypeError'],
  ['JSON of another form', 'POST', '/users/login', { body: '{}', headers: { 'content-type': 'application/json; charset=utf-8; odata=verbose' } }, 415, 'UnsupportedMediaTypeError'],
  ['a charset twice', 'POST', '/users/login', { body: '{}', headers: { 'content-type': 'application/json; charset=utf-8; charset=latin1' } }, 415, 'UnsupportedMediaTypeError'],
  ['a parameter without a value', 'POST', '/users/login', { body: '{}', headers: { 'content-type': 'application/json; charset' } }, 415, 'UnsupportedMediaTypeError'],
  ['gzipped JSON', 'POST', '/users/login', { body: 'x', headers: { 'content-encoding': 'gzip' } }, 415, 'UnsupportedMediaTypeError'],
  ['a wrong password', 'POST', '/users/login', { json: { username: 'nobody', password: 'wrong horse' } }, 401, 'InvalidCredentialsError'],
  ['a login without a password', 'POST', '/users/login', { json: { username: 'nobody' } }, 400, 'InvalidRequestError', '/password'],
  ['no token', 'GET', '/users', {}, 401, 'UnauthorizedRequestError'],
  ['a token that is none', 'GET', '/users/me', { token: 'abc' }, 401, 'UnauthorizedRequestError'],
  ['basic authorization', 'GET', '/users/me', { headers: { authorization: 'Basic YTpi' } }, 401, 'UnauthorizedRequestError'],
  ['an unknown user', 'GET', '/users/nobody-here', { token: 'mine' }, 404, 'ResourceNotFoundError'],
  ['an unknown field of me', 'PATCH', '/users/me', { token: 'mine', json: { username: 'x' } }, 400, 'InvalidRequestError', '/username'],
  ['a change of me without a token', 'PATCH', '/users/me', { json: { locale: 'en' } }, 401, 'UnauthorizedRequestError'],
  ['an unknown field of a user', 'PATCH', '/users/:me', { token: 'mine', json: { username: 'x' } }, 400, 'InvalidRequestError', '/username'],
  ['another user', 'PUT', '/users/:other', { token: 'mine', json: { locale: 'en' } }, 403, 'ForbiddenRequestError'],
  ['a wrong old_password', 'PUT', '/users/me/password', { token: 'mine', json: { old_password: 'x', new_password: 'correct horse' } }, 401, 'InvalidCredentialsError'],
  ['a short new_password', 'PUT', '/users/me/password', { token: 'mine', json: { old_password: 'correct horse', new_password: 'x' } }, 400, 'InvalidRequestError', '/new_password'],
  ['a new_password with NUL', 'PUT', '/users/me/password', { token: 'mine', json: { old_password: 'correct horse', new_password: 'abcd\0abcd' } }, 400, 'InvalidRequestError', '/new_password'],
  ['a wrong password with NUL', 'POST', '/users/login', { json: { username: 'nobody', password: 'abcd\0abcd' } }, 401, 'InvalidCredentialsError'],
  ['a new_password without a token', 'PUT', '/users/me/password', { json: { old_password: 'x', new_password: 'correct horse' } }, 401, 'UnauthorizedRequestError'],
  ['no token, with an application', 'POST', '/applications', { json: application }, 401, 'UnauthorizedRequestError'],
  ['no name', 'POST', '/applications', { token: 'mine', json: { ...application, name: undefined } }, 400, 'InvalidRequestError', '/name'],
  ['a blank name', 'POST', '/applications', { token: 'mine', json: { ...application, name: '   ' } }, 400, 'InvalidRequestError', '/name'],
  ['a name of 101 characters', 'POST', '/applications', { token: 'mine', json: { ...application, name: 'n'.repeat(101) } }, 400, 'InvalidRequestError', '/name'],
  ['a schema with a key twice, as an object', 'POST', '/applications', { token: 'mine', body: '{"name":"x","type":"web","schema":{"type":"object","title":"a","title":"b"}}' }, 422, 'InvalidSchemaError'],
  ['a deletion with a key twice', 'POST', '/applications/:mine/deletions', { token: 'mine', body: '{"to":"2020-01-01","to":"2030-01-01"}' }, 400, 'MalformedBodyError', '/to'],
  ['a deletion with two filters', 'POST', '/applications/:mine/deletions', { token: 'mine', body: '{"filter":{"age":0},"filter":{"age":1}}' }, 400, 'MalformedBodyError', '/filter'],
  ['a publication with a key twice', 'POST', '/applications/:mine/schemas', { token: 'mine', body: '{"schema":{"type":"object"},"if_version":1,"if_version":3}' }, 400, 'MalformedBodyError', '/if_version'],
  ['a setting twice', 'PATCH', '/applications/:mine', { token: 'mine', body: '{"refused":{"days":3,"days":30}}' }, 400, 'MalformedBodyError', '/refused/days'],
  ['an export with a key twice in its filter', 'POST', '/applications/:mine/exports', { token: 'mine', body: '{"filter":{"name":"a","name":"b"}}' }, 400, 'InvalidRequestError', '/filter/name'],
  ['an unknown type', 'POST', '/applications', { token: 'mine', json: { ...application, type: 'toaster' } }, 400, 'InvalidRequestError', '/type'],
  ['a schema that is an array', 'POST', '/applications', { token: 'mine', json: { ...application, schema: [] } }, 400, 'InvalidRequestError', '/schema'],
  ['a schema that is an empty object', 'POST', '/applications', { token: 'mine', json: { ...application, schema: {} } }, 422, 'InvalidSchemaError'],
  ['a connector without a language', 'POST', '/applications', { token: 'mine', json: { ...application, connectors: [{ package_url: 'https://a.example' }] } }, 400, 'InvalidRequestError', '/connectors/0/language'],
  ['a connector with another URL', 'POST', '/applications', { token: 'mine', json: { ...application, connectors: [{ package_url: 'ftp://a.example', language: 'go' }] } }, 400, 'InvalidRequestError', '/connectors/0/package_url'],
  ['a connector with a script for a URL', 'POST', '/applications', { token: 'mine', json: { ...application, connectors: [{ package_url: ' javascript:alert(1)', language: 'go' }] } }, 400, 'InvalidRequestError', '/connectors/0/package_url'],
  ['a connector with a URL without a host', 'POST', '/applications', { token: 'mine', json: { ...application, connectors: [{ package_url: 'https://', language: 'go' }] } }, 400, 'InvalidRequestError', '/connectors/0/package_url'],
  ['a connector whose URL is too long once it is normal', 'POST', '/applications', { token: 'mine', json: { ...application, connectors: [{ package_url: `https://a.example/${'ü'.repeat(400)}`, language: 'go' }] } }, 400, 'InvalidRequestError', '/connectors/0/package_url'],
  ['a connector with a language too long', 'POST', '/applications', { token: 'mine', json: { ...application, connectors: [{ package_url: 'https://a.example', language: 'x'.repeat(41) }] } }, 400, 'InvalidRequestError', '/connectors/0/language'],
  ['a domain of the own choice', 'POST', '/applications', { token: 'mine', json: { ...application, domain: 'x' } }, 400, 'InvalidRequestError', '/domain'],
  ['half of a surrogate pair in a name', 'POST', '/applications', { token: 'mine', body: '{"name":"\\ud800","type":"web","schema":"{}"}' }, 400, 'MalformedBodyError'],
  ['a schema that is not JSON', 'POST', '/applications', { token: 'mine', json: { ...application, schema: '{' } }, 422, 'InvalidSchemaError'],
  ['a schema whose root is no object', 'POST', '/applications', { token: 'mine', json: { ...application, schema: '{"type":"array"}' } }, 422, 'InvalidSchemaError'],
  ['a schema that is no JSON Schema', 'POST', '/applications', { token: 'mine', json: { ...application, schema: '{"type":"object","properties":{"a":{"type":"strnig"}}}' } }, 422, 'InvalidSchemaError'],
  ['an asynchronous schema', 'POST', '/applications', { token: 'mine', json: { ...application, schema: '{"type":"object","$async":true}' } }, 422, 'InvalidSchemaError'],
  ['a remote reference', 'POST', '/applications', { token: 'mine', json: { ...application, schema: '{"type":"object","properties":{"a":{"$ref":"http://a.example/s.json"}}}' } }, 422, 'InvalidSchemaError'],
  ['an unknown draft', 'POST', '/applications', { token: 'mine', json: { ...application, schema: '{"type":"object","$schema":"http://a.example/"}' } }, 422, 'InvalidSchemaError'],
  ['a pattern with a lookahead', 'POST', '/applications', { token: 'mine', json: { ...application, schema: '{"type":"object","properties":{"a":{"pattern":"(?=a)"}}}' } }, 422, 'InvalidSchemaError'],
  ['a login of 17 KB', 'POST', '/users/login', { json: { username: 'x'.repeat(17_000), password: 'x' } }, 413, 'PayloadTooLargeError'],
  ['a body of very many values', 'POST', '/applications', { token: 'mine', json: { ...application, connectors: Array(25_000).fill({}) } }, 413, 'PayloadTooLargeError'],
  ['a body of many wrong values', 'POST', '/applications/:mine/exports', { token: 'mine', json: { columns: Array(4_000).fill(0) } }, 400, 'InvalidRequestError', '/columns/0'],
  ['an unknown application', 'GET', '/applications/nothing-abc234', { token: 'mine' }, 404, 'ResourceNotFoundError'],
  ["another user's application", 'GET', '/applications/:theirs', { token: 'mine' }, 404, 'ResourceNotFoundError'],
  ["a change of another user's application", 'PATCH', '/applications/:theirs', { token: 'mine', json: { name: 'x' } }, 404, 'ResourceNotFoundError'],
  ['a change of a schema', 'PUT', '/applications/:mine', { token: 'mine', json: { schema: '{"type":"object"}' } }, 400, 'InvalidRequestError', '/schema'],
  ["a deletion of another user's application", 'DELETE', '/applications/:theirs', { token: 'mine' }, 404, 'ResourceNotFoundError'],
  ['an upload to nowhere', 'POST', '/applications/nothing-abc234/data', { json: {} }, 404, 'ResourceNotFoundError'],
  ['an upload without a body', 'POST', '/applications/:mine/data', {}, 400, 'MalformedBodyError'],
  ['an upload that is not JSON', 'POST', '/applications/:mine/data', { body: '{name:1}' }, 400, 'MalformedBodyError'],
  ['an upload in text', 'POST', '/applications/:mine/data', { body: '{}', headers: { 'content-type': 'text/plain' } }, 415, 'UnsupportedMediaTypeError'],
  ['an upload over the limit', 'POST', '/applications/:mine/data', { json: { name: 'x'.repeat(65_536) } }, 413, 'PayloadTooLargeError'],
  ['an upload that is an array', 'POST', '/applications/:mine/data', { json: [{ name: 'x' }] }, 422, 'SchemaValidationError', ''],
  ['an upload with a wrong type', 'POST', '/applications/:mine/data', { json: { name: 'x', age: 'old' } }, 422, 'SchemaValidationError', '/age'],
  ['an upload without a required property', 'POST', '/applications/:mine/data', { json: {} }, 422, 'SchemaValidationError', ''],
  ['an upload with a number too exact', 'POST', '/applications/:mine/data', { body: '{"name":"x","age":9223372036854775808}' }, 422, 'SchemaValidationError', '/age'],
  ['an upload with a key twice', 'POST', '/applications/:mine/data', { body: '{"name":"x","name":"y"}' }, 422, 'SchemaValidationError', '/name'],
  ['an idempotency key with a blank', 'POST', '/applications/:mine/data', { json: { name: 'x' }, headers: { 'idempotency-key': 'a b' } }, 400, 'InvalidRequestError', '/idempotency-key'],
  ['a list without a token', 'GET', '/applications/:mine/data', {}, 401, 'UnauthorizedRequestError'],
  ["a list of another user's entries", 'GET', '/applications/:theirs/data', { token: 'mine' }, 404, 'ResourceNotFoundError'],
  ['limit 0', 'GET', '/applications/:mine/data?limit=0', { token: 'mine' }, 400, 'InvalidRequestError', '/limit'],
  ['limit 1001', 'GET', '/applications/:mine/data?limit=1001', { token: 'mine' }, 400, 'InvalidRequestError', '/limit'],
  ['an empty limit', 'GET', '/applications/:mine/data?limit=', { token: 'mine' }, 400, 'InvalidRequestError', '/limit'],
  ['a limit in hexadecimal', 'GET', '/applications/:mine/data?limit=0x10', { token: 'mine' }, 400, 'InvalidRequestError', '/limit'],
  ['two limits', 'GET', '/applications/:mine/data?limit=1&limit=2', { token: 'mine' }, 400, 'InvalidRequestError', '/limit'],
  ['start -1', 'GET', '/applications/:mine/data?start=-1', { token: 'mine' }, 400, 'InvalidRequestError', '/start'],
  ['a start of 1.5', 'GET', '/applications/:mine/data?start=1.5', { token: 'mine' }, 400, 'InvalidRequestError', '/start'],
  ['an unknown query', 'GET', '/applications/:mine/data?page=2', { token: 'mine' }, 400, 'InvalidRequestError', '/page'],
  ['a from that is no time', 'GET', '/applications/:mine/data?from=yesterday', { token: 'mine' }, 400, 'InvalidRequestError', '/from'],
  ['a day that does not exist', 'GET', '/applications/:mine/data?to=2026-02-30', { token: 'mine' }, 400, 'InvalidRequestError', '/to'],
  ['from later than to', 'GET', '/applications/:mine/data?from=2026-02-02&to=2026-02-01', { token: 'mine' }, 400, 'InvalidRequestError'],
  ['a cursor that is none', 'GET', '/applications/:mine/data?after=abc', { token: 'mine' }, 400, 'InvalidRequestError', '/after'],
  ['to follow without a token', 'GET', '/applications/:mine/data/live', {}, 401, 'UnauthorizedRequestError'],
  ["to follow another user's application", 'GET', '/applications/:theirs/data/live', { token: 'mine' }, 404, 'ResourceNotFoundError'],
  ['to follow behind an event that is none', 'GET', '/applications/:mine/data/live', { token: 'mine', headers: { 'last-event-id': '5' } }, 400, 'InvalidRequestError', '/last-event-id'],
  ['POST on events', 'POST', '/applications/:mine/data/live', { token: 'mine', json: {} }, 405, 'MethodNotAllowedError'],
  ["another user's counts", 'GET', '/applications/:theirs/stats', { token: 'mine' }, 404, 'ResourceNotFoundError'],
  ['counts by weeks', 'GET', '/applications/:mine/stats?step=week', { token: 'mine' }, 400, 'InvalidRequestError', '/step'],
  ['counts of too many steps', 'GET', '/applications/:mine/stats?from=2026-01-01&to=2026-02-01', { token: 'mine' }, 400, 'InvalidRequestError'],
  ['PATCH on entries', 'PATCH', '/applications/:mine/data', { token: 'mine', json: {} }, 405, 'MethodNotAllowedError'],
  ['DELETE on entries', 'DELETE', '/applications/:mine/data', { token: 'mine' }, 405, 'MethodNotAllowedError'],
  ['a deletion without a bound', 'POST', '/applications/:mine/deletions', { token: 'mine', json: {} }, 400, 'InvalidRequestError'],
  ['a deletion with an empty filter', 'POST', '/applications/:mine/deletions', { token: 'mine', json: { filter: {} } }, 400, 'InvalidRequestError', '/filter'],
  ['a method of WebDAV on entries', 'PROPFIND', '/applications/:mine/data', {}, 405, 'MethodNotAllowedError'],
  ['QUERY on the own user', 'QUERY', '/users/me', {}, 405, 'MethodNotAllowedError'],
  ['POST on the own user', 'POST', '/users/me', { token: 'mine', json: {} }, 405, 'MethodNotAllowedError'],
  ['an export without a token', 'GET', '/applications/:mine/export', {}, 401, 'UnauthorizedRequestError'],
  ['an export in another format', 'GET', '/applications/:mine/export?format=xlsx', { token: 'mine' }, 400, 'InvalidRequestError', '/format'],
  ['an export of an unknown column', 'GET', '/applications/:mine/export?columns=nope', { token: 'mine' }, 400, 'InvalidRequestError', '/columns'],
  ['an export of a column twice', 'GET', '/applications/:mine/export?columns=name,name', { token: 'mine' }, 400, 'InvalidRequestError', '/columns'],
  ['a schema with a number too exact', 'POST', '/applications', { token: 'mine', json: { ...application, schema: '{"type":"object","properties":{"a":{"const":9223372036854775808}}}' } }, 422, 'InvalidSchemaError'],
  ['a schema with a key twice', 'POST', '/applications', { token: 'mine', json: { ...application, schema: '{"type":"object","title":"a","title":"b"}' } }, 422, 'InvalidSchemaError'],
  ["an export of another user's entries", 'GET', '/applications/:theirs/export', { token: 'mine' }, 404, 'ResourceNotFoundError'],
  ['an export with no worker', 'GET', '/applications/:mine/export', { token: 'mine' }, 503, 'ServiceUnavailableError'],
  ['an unknown field of an export', 'POST', '/applications/:mine/exports', { token: 'mine', json: { colums: [] } }, 400, 'InvalidRequestError', '/colums'],
  ['an export of no columns', 'POST', '/applications/:mine/exports', { token: 'mine', json: { columns: [] } }, 400, 'InvalidRequestError', '/columns'],
  ['an export with an empty filter', 'POST', '/applications/:mine/exports', { token: 'mine', json: { filter: '' } }, 400, 'InvalidRequestError', '/filter'],
  ['a replay of no uploads', 'POST', '/applications/:mine/replays', { token: 'mine', json: { ids: [] } }, 400, 'InvalidRequestError', '/ids'],
  ['a replay from null', 'POST', '/applications/:mine/replays', { token: 'mine', json: { from: null } }, 400, 'InvalidRequestError', '/from'],
  ['a rehearsal from null', 'POST', '/applications/:mine/rehearsals', { token: 'mine', json: { schema: {}, from: null } }, 400, 'InvalidRequestError', '/from'],
  ['a deletion of refused uploads from nowhere', 'DELETE', '/applications/:mine/refused?from=', { token: 'mine' }, 400, 'InvalidRequestError', '/from'],
  ['an unknown export', 'GET', `/applications/:mine/exports/${job}`, { token: 'mine' }, 404, 'ResourceNotFoundError'],
  ['an export whose id is none', 'GET', '/applications/:mine/exports/x', { token: 'mine' }, 404, 'ResourceNotFoundError'],
  ['the file of an unknown export', 'GET', `/applications/:mine/exports/${job}/file`, { token: 'mine' }, 404, 'ResourceNotFoundError'],
  ['a deletion of an unknown export', 'DELETE', `/applications/:mine/exports/${job}`, { token: 'mine' }, 404, 'ResourceNotFoundError'],
  ['an unknown route', 'GET', '/nothing', {}, 404, 'ResourceNotFoundError'],
  ['a path that is no URL', 'GET', '/users/%E0%A4%A', { token: 'mine' }, 400, 'InvalidRequestError'],
];

describe('what is refused', () => {
  it.each(rows)('%s: %s %s', async (_what, method, path, options, status, name, detail) => {
    const token = options.token === 'mine' ? mine.token : options.token;
    const real = path
      .replace(':mine', domain)
      .replace(':theirs', foreign)
      .replace(':me', mine.username)
      .replace(':other', theirs.username);
    const { body, headers, ...answer } = await sluice.request(method, real, { ...options, token });
    expect([answer.status, body.error.name]).toEqual([status, name]);
    expect(body).toEqual({
      success: false,
      status,
      error: expect.objectContaining({ description: expect.any(String), message: expect.any(String) }),
    });
    if (detail !== undefined)
      expect(body.error.details.map((each: { path: string }) => each.path)).toContain(detail);
    if (status === 401) expect(headers.get('www-authenticate')).toBe('Bearer');
    if (status === 405) expect(headers.get('allow')).toMatch(/GET/);
    if (status === 503) expect(headers.get('retry-after')).toMatch(/^\d+$/);
    expect(headers.get('x-request-id')).toMatch(/./);
  });

  it('names every wrong field at once', async () => {
    const { body } = await sluice.request('POST', '/users/register', {
      json: { username: 'a', password: 'b', more: 1 },
    });
    const paths = body.error.details.map((each: { path: string }) => each.path);
    expect(paths.sort()).toEqual(['/locale', '/more', '/password', '/username']);
  });

  it.each([
    ['limit=1&limit=2', '/limit', 'must be given once'],
    ['from=2026-01-01&from=2026-01-01', '/from', 'must be given once'],
    ['from=', '/from', expect.stringContaining('must be an ISO 8601 timestamp')],
    ['limit=1001', '/limit', 'must be <= 1000'],
  ])('says of ?%s what is wrong with %s', async (query, path, message) => {
    const { status, body } = await sluice.request('GET', `/applications/${domain}/data?${query}`, {
      token: mine.token,
    });
    expect([status, body.error.details]).toEqual([400, [expect.objectContaining({ path, message })]]);
  });

  it('says of empty texts and long ones what they must be', async () => {
    const empty = await sluice.request('GET', `/applications/${domain}/export?columns=`, {
      token: mine.token,
    });
    expect(empty.body.error.details).toEqual([
      { in: 'querystring', path: '/columns', keyword: 'minLength', message: 'must not be empty' },
    ]);
    const long = await sluice.request('POST', '/users/register', {
      json: { ...registration, username: 'a'.repeat(21), password: 'short' },
    });
    expect(long.body.error.details.map((each: { message: string }) => each.message).sort()).toEqual([
      'must have at least 8 characters',
      'must have at most 20 characters',
    ]);
  });

  it("answers another user's application as one that does not exist", async () => {
    const { text } = await sluice.request('GET', `/applications/${foreign}`, { token: mine.token });
    expect(JSON.parse(text).error.message).toBe(`application ${foreign} was not found`);
  });

  it('gives the limit with a body that is over it', async () => {
    const { body } = await sluice.request('POST', `/applications/${domain}/data`, {
      json: { name: 'x'.repeat(70_000) },
    });
    expect(body.error.message).toContain('65536');
  });
});
