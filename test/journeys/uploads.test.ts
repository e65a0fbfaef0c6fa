import { parseJson } from '@sluice/json/parse-json.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../support/runs.ts';
import { sharedSluice, storeOf } from '../support/sluice.ts';

const sluice = await sharedSluice();
const { token } = await sluice.owner();
const domain = await sluice.application(token);

const upload = (body: string, at = domain) => sluice.request('POST', `/applications/${at}/data`, { body });
const newest = async (at = domain) => {
  const { body } = await sluice.request('GET', `/applications/${at}/data?limit=1`, { token });
  return body.data.result[0];
};

describe('an upload', () => {
  it('is answered with what was stored, and listed so', async () => {
    const payload = { name: 'Zürich', list: [1, { two: [] }], nothing: null, empty: {}, n: -1.5e-7 };
    const { status, body } = await upload(JSON.stringify(payload));
    expect([status, body.data]).toEqual([201, { domain, payload }]);
    expect((await newest()).payload).toEqual(payload);
  });

  it('is stored with the time of the server', async () => {
    const before = Date.now();
    await upload('{"createdAt":"1970-01-01T00:00:00Z"}');
    const { createdAt, payload } = await newest();
    expect(createdAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(Date.parse(createdAt)).toBeGreaterThanOrEqual(before);
    expect(payload.createdAt).toBe('1970-01-01T00:00:00Z');
  });

  it.each([
    ['{"$ref":"a","$id":1}'],
    ['{"x":{"$ref":"a","$id":{"b":2},"$db":"c","more":[1]}}'],
    ['{"$set":{"a":1},"a.b":2,"":3}'],
    ['{"2":1,"1":2,"constructor":{"prototype":1},"toString":null}'],
    ['{"valueOf":[{}],"toString":[{"a":1}],"constructor":[[]],"hasOwnProperty":[{"valueOf":[{"b":[{}]}]}]}'],
    ['{"$oid":"0123456789abcdef01234567","$numberLong":"5","$date":0}'],
    ['{"i":9007199254740991,"z":-0,"f":0.1,"e":1e308,"t":5e-324}'],
    ['\uFEFF{"bom":true}'],
    ['{"nul":"a\\u0000b","emoji":"\\ud83d\\ude00"}'],
  ])('comes back as it was posted: %s', async (text) => {
    expect((await upload(text)).status).toBe(201);
    expect((await newest()).payload).toEqual(parseJson(text.replace('\uFEFF', '').replace('-0', '0')));
  });

  it.each(['04', '06', '07'])(
    'is an object, also where a reference keeps the type beside it from counting (draft %s)',
    async (draft) => {
      const at = await sluice.application(token, {
        $schema: `http://json-schema.org/draft-${draft}/schema#`,
        type: 'object',
        $ref: '#/definitions/any',
        definitions: { any: {} },
      });
      const details = [{ path: '', keyword: 'type', message: 'must be object' }];
      for (const body of ['5', '1e5', '"s"', 'null', '[1]', `[${' '.repeat(300_000)}1]`]) {
        const refused = await upload(body, at);
        expect([refused.status, refused.body.error.details]).toEqual([422, details]);
      }
      const batch = await sluice.request('POST', `/applications/${at}/data/batch`, {
        body: '5\n{"a":1}\n[]\n',
        headers: { 'content-type': 'application/x-ndjson' },
      });
      expect([batch.status, batch.body.data.errors]).toMatchObject([
        207,
        [
          { line: 1, details },
          { line: 3, details },
        ],
      ]);
      expect((await newest(at)).payload).toEqual({ a: 1 });
    },
  );

  it('is validated by its own keys, whatever keys another one had before', async () => {
    const closed = { type: 'object', properties: { a: {}, '\n': {} }, additionalProperties: false };
    const theirs = await sluice.application(token, closed);
    for (let times = 0; times < 3; times++) expect((await upload('{"a":1,"\\\\":2}')).status).toBe(201);
    expect((await upload('{"a":1,"\\n":2}', theirs)).status).toBe(201);
    expect((await upload('{"a":1,"\\\\":2}', theirs)).status).toBe(422);
  });

  it('comes back as it was posted, whatever the JSON, or is refused', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 4 }), { maxKeys: 6 }),
        async (value) => {
          const text = JSON.stringify(value);
          const { status } = await upload(text);
          if (status === 201) expect((await newest()).payload).toEqual(parseJson(text));
          else expect([400, 422]).toContain(status);
        },
      ),
      runs(60),
    );
  });

  it('ignores an authorization header, also a wrong one', async () => {
    const headers = { authorization: 'Bearer nonsense' };
    const { status } = await sluice.request('POST', `/applications/${domain}/data`, { json: {}, headers });
    expect(status).toBe(201);
  });

  it('tells all that is wrong with it, each with its place', async () => {
    const at = await sluice.application(token, {
      type: 'object',
      properties: { a: { type: 'integer' }, b: { type: 'array', items: { enum: ['x', 'y'] } } },
      required: ['c'],
    });
    const { status, body } = await upload('{"a":1.5,"b":["x","z"]}', at);
    expect([status, body.error.name]).toEqual([422, 'SchemaValidationError']);
    const seen = body.error.details.map(
      ({ path, keyword }: { path: string; keyword: string }) => `${path} ${keyword}`,
    );
    expect(seen.sort()).toEqual([' required', '/a type', '/b/1 enum']);
    expect(await newest(at)).toBeUndefined();
  });

  it.each([
    ['2020-12', 'https://json-schema.org/draft/2020-12/schema', { prefixItems: [{ type: 'string' }] }],
    ['2019-09', 'https://json-schema.org/draft/2019-09/schema', { items: [{ type: 'string' }] }],
    ['07', 'http://json-schema.org/draft-07/schema#', { if: false, else: { items: { type: 'string' } } }],
    ['06', 'http://json-schema.org/draft-06/schema#', { contains: { const: 'a' } }],
    ['04', 'http://json-schema.org/draft-04/schema#', { items: { type: 'string' } }],
  ])('is validated by draft %s where the schema says so', async (_draft, $schema, list) => {
    const at = await sluice.application(token, { $schema, type: 'object', properties: { list } });
    expect((await upload('{"list":["a"]}', at)).status).toBe(201);
    expect((await upload('{"list":[1]}', at)).status).toBe(422);
  });

  it('records a field that the schema does not name once, in the order of appearance, by concurrent uploads too', async () => {
    const at = await sluice.application(token, { type: 'object', properties: { known: {} } });
    await upload('{"known":1,"b":1,"a":{"x":1}}', at);
    await Promise.all(
      Array.from({ length: 20 }, (_, i) => upload(JSON.stringify({ a: { x: 2 }, c: i, b: 1 }), at)),
    );
    const store = storeOf(sluice);
    const application = await store.applications.byDomain(at);
    const { pointers } = await store.fields.of(application?.id as string);
    expect(pointers).toEqual(['/b', '/a/x', '/c']);
  });
});
