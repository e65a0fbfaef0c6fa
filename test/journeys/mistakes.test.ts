import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Call, type Sluice, startSluice } from '../support/sluice.ts';

let sluice: Sluice;
let token: string;
let key: string;
let keyed: string;

beforeAll(async () => {
  sluice = await startSluice({ workers: false, env: { UPLOAD_RATE: '3/1m' } });
  ({ token } = await sluice.owner());
  keyed = await sluice.application(token);
  const path = `/applications/${keyed}`;
  await sluice.request('PATCH', path, { token, json: { key_required: true } });
  key = (await sluice.request('POST', `${path}/keys`, { token, json: { name: 'k' } })).body.data.key;
});
afterAll(() => sluice.stop());

const user = { username: 'a-user', password: 'correct horse', locale: 'en' };
const withSchema = (schema: unknown): Call => ({ token: 'login', json: { name: 'A', type: 'web', schema } });
const property = (schema: object) => withSchema({ type: 'object', properties: { v: schema } });
const typed = (type: string, body: string): Call => ({ body, headers: { 'content-type': type } });
const form = typed('multipart/form-data; boundary=xyz', '--xyz\r\n\r\n{}\r\n--xyz--\r\n');
const ndjson = (body: string) => typed('application/x-ndjson', body);
const drafts =
  'https://json-schema.org/draft/2020-12/schema, https://json-schema.org/draft/2019-09/schema, http://json-schema.org/draft-07/schema, http://json-schema.org/draft-06/schema, http://json-schema.org/draft-04/schema';

type Row = [mistake: string, request: string, call: Call, status: number, name: string, message: string];

/** `:open` and `:keyed` are domains, `:other` is another user; the tokens `login` and `key` are real ones. */
// biome-ignore format: a table, a row a line
const refused: Row[] = [
  ['a $schema of no draft', 'POST /applications', withSchema({ $schema: 'https://example.com/s', type: 'object' }), 422, 'InvalidSchemaError', `"https://example.com/s" names no draft that Sluice knows, at /$schema: remove $schema, or use one of ${drafts}`],
  ['NaN in a body', 'POST /applications/:open/data', { body: '{"place":"Oslo","list":[1,2,3],"unit":"C","v":NaN}' }, 400, 'MalformedBodyError', 'the body is not JSON: unexpected `NaN` at line 1, column 47; JSON has no NaN and no Infinity: send null'],
  ['a comma too many', 'POST /users/login', { body: '{"username":"ada",}' }, 400, 'MalformedBodyError', 'the body is not JSON: a comma before `}` at line 1, column 19'],
  ['a schema text that is no JSON', 'POST /applications', withSchema('{"type":"object",\n "title":\'a\'}'), 422, 'InvalidSchemaError', 'the schema is not JSON: unexpected character at line 2, column 10; strings are in double quotes'],
  ['a lookahead', 'POST /applications', property({ pattern: '^(?=.*\\d)(?=.*[a-z])' }), 422, 'InvalidSchemaError', 'the pattern has a lookahead (?=, which is not supported, at /properties/v/pattern; combine patterns with "allOf"'],
  ['a negative lookahead', 'POST /applications', property({ pattern: '^(?!test)' }), 422, 'InvalidSchemaError', 'the pattern has a lookahead (?!, which is not supported, at /properties/v/pattern; say what must not match with "not": {"pattern": …}'],
  ['a lookbehind', 'POST /applications', property({ pattern: '(?<=a)b' }), 422, 'InvalidSchemaError', 'the pattern has a lookbehind (?<=, which is not supported, at /properties/v/pattern; match the text before it too, or combine patterns with "allOf"'],
  ['a backreference', 'POST /applications', property({ pattern: '(a|b)\\1' }), 422, 'InvalidSchemaError', 'the pattern has a backreference \\1, which is not supported, at /properties/v/pattern; write out what may be repeated, such as aa|bb for ([ab])\\1'],
  ['"type": "int"', 'POST /applications', property({ type: 'int' }), 422, 'InvalidSchemaError', '`int` is not a type, at /properties/v/type: use integer, number, string, boolean, object, array or null'],
  ['an unknown type in a list', 'POST /applications', property({ type: ['string', 'None'] }), 422, 'InvalidSchemaError', '`None` is not a type, at /properties/v/type: use integer, number, string, boolean, object, array or null'],
  ['a schema that is a number', 'POST /applications', withSchema(1), 400, 'InvalidRequestError', 'body/schema must be object or string: A JSON Schema, or its JSON text; its root type is object.'],
  ['a schema object with a number that would be rounded', 'POST /applications', { token: 'login', body: '{"name":"A","type":"web","schema":{"type":"object","maxProperties":18446744073709551617}}' }, 422, 'InvalidSchemaError', 'this integer is beyond 64 bits (-2^63 to 2^63 - 1): send it as a string, at /maxProperties'],
  ['an unknown query parameter', 'GET /applications/:open/data?page=2', { token: 'login' }, 400, 'InvalidRequestError', 'unknown parameter `page`; allowed: start, limit, from, to, order, sort, after, filter, key, meta'],
  ['a limit of 0', 'GET /applications/:open/data?limit=0', { token: 'login' }, 400, 'InvalidRequestError', '`limit` must be >= 1'],
  ['the API without a path', 'GET /', {}, 404, 'ResourceNotFoundError', 'there is no route GET /api/; see /api/docs'],
  ['gzip without its header', 'POST /applications/:open/data', { body: gzipSync('{}') }, 400, 'MalformedBodyError', 'the body is not valid UTF-8 at byte 2; it looks like gzip: decompress it, or send Content-Encoding: gzip'],
  ['a query where there is none', 'GET /users/me?page=2', { token: 'login' }, 400, 'InvalidRequestError', 'unknown parameter `page`; this route takes none'],
  ['a selection in the body of a deletion', 'DELETE /applications/:open/refused', { token: 'login', json: { path: '/n' } }, 400, 'InvalidRequestError', 'this route takes no body, only a path and a query; nothing was done'],
  ['an unknown field', 'PATCH /users/me', { token: 'login', json: { lokale: 'en' } }, 400, 'InvalidRequestError', 'body/lokale is not a known field; allowed: locale'],
  ['an array to …/data', 'POST /applications/:open/data', { json: [{ v: 1 }] }, 422, 'SchemaValidationError', 'one object is expected; send arrays to /api/applications/:open/data/batch'],
  ['`curl -d @file`, which joins the lines', 'POST /applications/:open/data/batch', ndjson('{"v":1}{"v":2}'), 422, 'SchemaValidationError', 'the line was not stored: the line is not JSON: text after the end of the JSON value at column 8; with curl use --data-binary, as -d removes line ends'],
  ['a username with a blank', 'POST /users/register', { json: { ...user, username: 'Ada Lovelace' } }, 400, 'InvalidRequestError', 'body/username may contain letters, digits, `.`, `_`, `-`; 3 to 20 of them; unique without regard to case'],
  ['a blank name', 'POST /applications', { token: 'login', json: { name: ' ', type: 'web', schema: '{"type":"object"}' } }, 400, 'InvalidRequestError', 'body/name must not be blank'],
  ['an ingest key to read', 'GET /applications/:keyed/data', { token: 'key' }, 401, 'UnauthorizedRequestError', 'a bearer token is required: an ingest key can upload but not read; log in and use the token'],
  ['an ingest key to read, as X-Api-Key', 'GET /applications/:keyed/data', { headers: { 'x-api-key': 'sk_any' } }, 401, 'UnauthorizedRequestError', 'a bearer token is required: an ingest key can upload but not read; log in and use the token'],
  ['a login token where a key is required', 'POST /applications/:keyed/data', { token: 'login', json: {} }, 403, 'ForbiddenRequestError', 'an ingest key is required to upload to :keyed: a login token is not one; create one with POST /api/applications/:keyed/keys'],
  ['a batch larger than the rate', 'POST /applications/:open/data/batch', ndjson('{}\n'.repeat(2_000)), 429, 'TooManyRequestsError', 'the batch has 2,000 lines; the limit is 3 entries per minute: send smaller batches; nothing was stored'],
  ['a form to an import', 'POST /applications/:open/imports', { token: 'login', ...form }, 415, 'UnsupportedMediaTypeError', 'this route takes application/x-ndjson, application/json or text/csv, not multipart/form-data; send the file as the body (`curl -X POST -T file` or `--data-binary @file`), not as a form'],
  ['a form to a batch', 'POST /applications/:open/data/batch', form, 415, 'UnsupportedMediaTypeError', 'this route takes application/x-ndjson or application/json, not multipart/form-data; send the file as the body (`curl -X POST -T file` or `--data-binary @file`), not as a form'],
  ['`curl -d` without a Content-Type', 'POST /users/login', typed('application/x-www-form-urlencoded', '{}'), 415, 'UnsupportedMediaTypeError', 'this route takes application/json, not application/x-www-form-urlencoded; set the header Content-Type, as curl sends a form unless told otherwise'],
  ['GET of a login', 'GET /users/login', {}, 405, 'MethodNotAllowedError', 'GET is not allowed here, only POST'],
  ['PUT of a registration', 'PUT /users/register', { json: user }, 405, 'MethodNotAllowedError', 'PUT is not allowed here, only POST'],
  ['a change of another user', 'PATCH /users/:other', { token: 'login', json: { locale: 'en' } }, 403, 'ForbiddenRequestError', 'you can change only your own profile'],
];

const headersOf: Record<string, Record<string, string | null>> = {
  'GET of a login': { allow: 'POST' },
  'PUT of a registration': { allow: 'POST' },
  'a batch larger than the rate': { 'retry-after': null, 'ratelimit-limit': '3' },
};

const detailsOf: Record<string, object[]> = {
  'an unknown query parameter': [{ in: 'querystring', path: '/page', keyword: 'additionalProperties' }],
  'an array to …/data': [{ path: '', keyword: 'type', message: 'must be object' }],
  '`curl -d @file`, which joins the lines': [
    {
      line: 1,
      name: 'MalformedBodyError',
      message:
        'the line is not JSON: text after the end of the JSON value at column 8; with curl use --data-binary, as -d removes line ends',
    },
  ],
};

describe('a common mistake is answered with what is wrong and what to do', () => {
  it.each(refused)('%s: %s', async (mistake, request, call, status, name, message) => {
    const open = request.includes(':open') ? await sluice.application(token) : '';
    const { username } = request.includes(':other') ? await sluice.owner() : { username: '' };
    const real = (text: string) =>
      text.replaceAll(':open', open).replaceAll(':keyed', keyed).replaceAll(':other', username);
    const [method, path] = request.split(' ') as [string, string];
    const tokens: Record<string, string> = { login: token, key };
    const answer = await sluice.request(method, real(path), { ...call, token: tokens[call.token ?? ''] });
    const { error } = answer.body;
    expect([answer.status, error.name, error.message]).toEqual([status, name, real(message)]);
    if (mistake in detailsOf) expect(error.details).toMatchObject(detailsOf[mistake] as object[]);
    for (const [header, value] of Object.entries(headersOf[mistake] ?? {}))
      expect(answer.headers.get(header)).toBe(value);
  });
});

const create = async (call: Call) => (await sluice.request('POST', '/applications', { ...call, token })).body;

describe('what only looks like a mistake is taken', () => {
  it.each([
    'http://json-schema.org/schema#',
    'http://json-schema.org/schema',
    'https://json-schema.org/schema#',
    'https://json-schema.org/draft-07/schema#',
  ])('$schema %s', async ($schema) => {
    const items = $schema.includes('07') ? 'items' : 'prefixItems';
    const { data } = await create(
      withSchema({ $schema, type: 'object', properties: { v: { [items]: [{ type: 'integer' }] } } }),
    );
    const path = `/applications/${data.domain}/data`;
    expect((await sluice.request('POST', path, { json: { v: [1] } })).status).toBe(201);
    expect((await sluice.request('POST', path, { json: { v: ['one'] } })).status).toBe(422);
    const warnings = ['/$schema names no draft; the schema is read as draft 2020-12'];
    expect(data.warnings).toEqual($schema.includes('07') ? undefined : warnings);
  });

  it('a schema as an object, of which every digit is kept', async () => {
    const schema = '{ "type":"object", "properties":{"id":{"const":9007199254740993},"v":{"maximum":1.10}} }';
    const { data } = await create({ body: `{"name":"A","type":"web","schema": ${schema} }` });
    expect(data.template.raw_schema).toBe(schema);
    const path = `/applications/${data.domain}`;
    const { text } = await sluice.request('GET', path, { token });
    expect(text).toContain(`"schema":${schema}}`);
    const upload = (body: string) => sluice.request('POST', `${path}/data`, { body });
    expect((await upload('{"id":9007199254740993}')).status).toBe(201);
    expect((await upload('{"id":9007199254740992}')).status).toBe(422);
  });
});

describe('slips in a schema', () => {
  it('are named in the answer to the creation, and nowhere else', async () => {
    const { data } = await create(
      withSchema({
        type: 'object',
        propertees: { a: {} },
        properties: { a: { minlength: 3, anyof: [] }, propertees: {}, d: { additionalItems: false } },
        'x-propertie': 1,
        example: {},
        unit: '°C',
      }),
    );
    expect(data.warnings.toSorted()).toEqual(
      [
        '/properties/a/anyof is not a keyword; did you mean anyOf?',
        '/properties/a/minlength is not a keyword; did you mean minLength?',
        '/properties/d/additionalItems is not a keyword of draft 2020-12, and does nothing',
        '/propertees is not a keyword; did you mean properties?',
      ].toSorted(),
    );
    const { body } = await sluice.request('GET', `/applications/${data.domain}`, { token });
    expect(body.data).not.toHaveProperty('warnings');
  });

  it('are named before the creation too, and so are required names without a property', async () => {
    const inner = { type: 'object', properties: { mail: {} }, required: ['mal'] };
    const schema = {
      type: 'object',
      properties: { a: { minLenght: 3 }, by: inner, named: { allOf: [inner, { required: ['b'] }] } },
      required: ['a', 'zzz'],
      $defs: { open: { required: ['c'] }, others: { ...inner, patternProperties: { m: {} } } },
    };
    const warnings = [
      '/properties/a/minLenght is not a keyword; did you mean minLength?',
      '/properties/by/required/0 names mal, which is not in properties; did you mean mail?',
      '/required/1 names zzz, which is not in properties',
    ];
    const check = (json: unknown) => sluice.request('POST', '/schemas/validate', { token, json });
    const checked = await check({ schema });
    expect(checked.body.data.warnings.toSorted()).toEqual(warnings);
    expect((await create(withSchema(schema))).data.warnings.toSorted()).toEqual(warnings);
    expect((await check({ schema: '{"type":"object"}' })).body.data).toEqual({ warnings: [] });
    const { status, body } = await check({ schema: { type: 'objekt' } });
    expect([status, body.error.name]).toEqual([422, 'InvalidSchemaError']);
    const { domain } = (await create(withSchema({ type: 'object' }))).data;
    const published = { token, json: { schema } };
    const { body: answer } = await sluice.request('POST', `/applications/${domain}/schemas`, published);
    expect(answer.data.warnings.toSorted()).toEqual(warnings);
  });

  it('are named as far as a reader has use for them', async () => {
    const properties = Object.fromEntries(
      Array.from({ length: 1_000 }, (_, i) => [`p${i}`, { tipe: 'int' }]),
    );
    const { data } = await create(withSchema({ type: 'object', properties }));
    expect(data.warnings).toHaveLength(20);
  });
});
