import { beforeEach, describe, expect, it } from 'vitest';
import { sharedSluice } from '../support/sluice.ts';
import { ndjson, uploadClient } from '../support/upload-client.ts';

let domain: string;
const json = { type: 'application/json' };
const bodyLimit = 1024 ** 2;

const sluice = await sharedSluice();
const { token } = await sluice.owner();
const client = uploadClient(sluice, token);
beforeEach(async () => {
  domain = await sluice.application(token, {
    type: 'object',
    properties: { n: { type: 'integer' }, deep: { type: 'object', properties: { x: { type: 'string' } } } },
    required: ['n'],
  });
});

const numbers = async () => (await client.payloads(domain)).map(({ n }) => n);
const wrong = (line: number, name: string, ...places: string[]) => ({
  line,
  name,
  message: expect.any(String),
  ...(places.length > 0 && {
    details: places.map((place) => {
      const [path, keyword, property] = place.split(' ');
      return { path, keyword, ...(property && { property }), message: expect.any(String) };
    }),
  }),
});
const schema = (line: number, ...places: string[]) => wrong(line, 'SchemaValidationError', ...places);
const stored = (accepted: number) => ({
  success: true,
  status: 201,
  data: { accepted, rejected: 0, errors: [] },
});

describe('a batch', () => {
  it.each([
    ['lines', '{"n":1}\n{"n":2}\n{"n":3}\n', {}],
    ['lines with CRLF and no end', '{"n":1}\r\n{"n":2}\r\n{"n":3}', {}],
    ['lines with blank ones between', '\n{"n":1}\n \r\n{"n":2}\n\n{"n":3}\n\n', {}],
    ['lines behind a byte order mark', '\uFEFF{"n":1}\n{"n":2}\n{"n":3}', {}],
    ['an array', '[{"n":1},{"n":2},{"n":3}]', json],
    ['an array with white space', '\uFEFF [ {"n" :\n1}\t,{"n":2} ,\r\n{"n":3} ]\n', json],
    ['an array with its charset', '[{"n":1},{"n":2},{"n":3}]', { type: 'Application/JSON; charset="UTF-8"' }],
  ])('of %s is stored, the last newest', async (_what, body, options) => {
    const answer = await client.batch(domain, body, options);
    expect([answer.status, answer.body]).toEqual([201, stored(3)]);
    expect(await numbers()).toEqual([3, 2, 1]);
  });

  it('with bad lines stores the others, and tells the place of each that is bad', async () => {
    const answer = await client.batch(
      domain,
      ['{"n":1}', '{"n":"x","deep":{"x":1}}', '', '{"n":2', '{"n":3}', '{"deep":[]}', '7', '{"n":4}'].join(
        '\n',
      ),
    );
    expect([answer.status, answer.body]).toEqual([
      207,
      {
        success: true,
        status: 207,
        data: {
          accepted: 3,
          rejected: 4,
          errors: [
            schema(2, '/n type', '/deep/x type'),
            wrong(4, 'MalformedBodyError'),
            schema(6, ' required n', '/deep type'),
            schema(7, ' type'),
          ],
        },
      },
    ]);
    expect(await numbers()).toEqual([4, 3, 1]);
  });

  it.each([
    ['lines', '{"n":"x"}\n\n[]', {}, [schema(1, '/n type'), schema(3, ' type')]],
    ['an array', '[{"n":"x"},[]]', json, [schema(1, '/n type'), schema(2, ' type')]],
  ])('of %s of which none is good stores nothing', async (_what, body, options, errors) => {
    const answer = await client.batch(domain, body, options);
    expect([answer.status, answer.body]).toEqual([
      422,
      {
        success: false,
        status: 422,
        error: {
          name: 'SchemaValidationError',
          description: expect.any(String),
          message: 'none of the 2 lines was stored',
          details: errors,
        },
      },
    ]);
    expect(await client.count(domain)).toBe(0);
  });

  // biome-ignore format: a table, a row a line
  it.each([
    ['a key twice', '{"n":1,"deep":{"x":"","x":""}}', schema(2, '/deep/x uniqueKeys')],
    ['a number between two doubles', '{"n":1,"m":[0,9223372036854775808]}', schema(2, '/m/1 integerRange')],
    ['half of a surrogate pair', '{"n":1,"m":"\\ud800"}', schema(2, '/m wellFormed')],
    ['a key with a NUL', '{"n":1,"a\\u0000b":1}', schema(2, '/a\0b keyWithoutNul')],
    ['the key _bsontype', '{"n":1,"_bsontype":"Long"}', schema(2, '/_bsontype reservedKey')],
    ['65 levels', `{"n":1,"m":${'['.repeat(64)}${']'.repeat(64)}}`, schema(2, `/m${'/0'.repeat(63)} maxNesting`)],
    ['5,000 levels that do not end', `{"n":1,"m":${'{"m":'.repeat(400)}`, wrong(2, 'MalformedBodyError')],
    ['the key __proto__', '{"n":1,"__proto__":1}', wrong(2, 'MalformedBodyError', ' forbiddenKey')],
    ['single quotes', "{'n':1}", wrong(2, 'MalformedBodyError')],
    ['two objects', '{"n":1} {"n":2}', wrong(2, 'MalformedBodyError')],
    ['a byte over the limit of an upload', `{"n":1,"m":"${'x'.repeat(bodyLimit + 1 - 14)}"}`, wrong(2, 'PayloadTooLargeError')],
  ])('refuses a line with %s alone', async (_what, line, error) => {
    const answer = await client.batch(domain, `{"n":1}\n${line}\n{"n":3}`);
    expect([answer.status, answer.body.data]).toEqual([207, { accepted: 2, rejected: 1, errors: [error] }]);
    expect(await numbers()).toEqual([3, 1]);
  });

  it('refuses a line that is no UTF-8 alone', async () => {
    const body = Buffer.concat([
      Buffer.from('{"n":1}\n{"n":2,"m":"'),
      Buffer.from([0xc3, 0x28]),
      Buffer.from('"}\n{"n":3}'),
    ]);
    const answer = await client.batch(domain, body);
    const errors = [wrong(2, 'MalformedBodyError')];
    expect([answer.status, answer.body.data]).toEqual([207, { accepted: 2, rejected: 1, errors }]);
    expect(await numbers()).toEqual([3, 1]);
  });

  it('takes a line that is as long as an upload may be', async () => {
    const answer = await client.batch(domain, `{"n":1,"m":"${'x'.repeat(bodyLimit - 14)}"}\n`);
    expect(answer.status).toBe(201);
  });

  it('tells all of many bad lines, by line', async () => {
    const lines = Array.from({ length: 1_500 }, (_, i) => (i % 3 === 0 ? { n: i } : { n: 'x', deep: 1 }));
    const { status, body } = await client.batch(domain, ndjson(lines));
    expect([status, body.data.accepted, body.data.rejected]).toEqual([207, 500, 1_000]);
    expect(body.data.errors.map(({ line }: { line: number }) => line)).toEqual(
      lines.flatMap(({ n }, i) => (n === 'x' ? [i + 1] : [])),
    );
    expect(body.data.errors[0]).toEqual(schema(1 + 1, '/n type', '/deep type'));
    expect(body.data.errors[999].details.length).toBeGreaterThan(0);
  });
});

describe('a large batch', () => {
  it('of 10,000 lines is stored whole', async () => {
    const lines = Array.from({ length: 10_000 }, (_, n) => ({ n, text: 'x'.repeat(480) }));
    const answer = await client.batch(domain, ndjson(lines));
    expect([answer.status, answer.body]).toEqual([201, stored(10_000)]);
    const found = await client.payloads(domain);
    expect(found.sort((a, b) => a.n - b.n)).toEqual(lines);
  });

  it.each([
    ['', ''],
    ['', '?atomic=true'],
  ])('is listed with the last line first%s %s', async (_what, query) => {
    const lines = Array.from({ length: 2_500 }, (_, n) => ({ n }));
    expect((await client.batch(domain, JSON.stringify(lines), { ...json, query })).status).toBe(201);
    expect(await numbers()).toEqual(lines.map(({ n }) => n).reverse());
  });
});
