import { beforeEach, describe, expect, it } from 'vitest';
import { sharedSluice, untilTaken } from '../support/sluice.ts';
import { ndjson, uploadClient } from '../support/upload-client.ts';

let domain: string;

const sluice = await sharedSluice();
const { token } = await sluice.owner();
const client = uploadClient(sluice, token);
beforeEach(async () => {
  domain = await sluice.application(token, { type: 'object', properties: { n: { type: 'integer' } } });
});

const atomic = (body: string) => client.batch(domain, body, { query: '?atomic=true' });
const counted = (count: number) => Array.from({ length: count }, (_, n) => ({ n }));

describe('an atomic batch', () => {
  it('is stored whole when every line is good', async () => {
    const answer = await atomic(ndjson(counted(1_200)));
    expect([answer.status, answer.body.data]).toEqual([201, { accepted: 1_200, rejected: 0, errors: [] }]);
    expect((await client.payloads(domain)).map(({ n }) => n).reverse()).toEqual(
      counted(1_200).map(({ n }) => n),
    );
  });

  it.each([
    ['the first line', 0],
    ['a line in the middle', 777],
    ['the last line', 1_199],
  ])('is not stored at all when %s is bad', async (_what, bad) => {
    const lines = counted(1_200).map(({ n }) =>
      n === bad ? { n: 'x', extra: 1 } : { n, more: { deep: n } },
    );
    const answer = await atomic(ndjson(lines));
    expect([answer.status, answer.body.error.name]).toEqual([422, 'SchemaValidationError']);
    expect(answer.body.error.details).toEqual([
      {
        line: bad + 1,
        name: 'SchemaValidationError',
        message: expect.any(String),
        details: [{ path: '/n', keyword: 'type', message: expect.any(String) }],
      },
    ]);
    expect(await client.count(domain)).toBe(0);
    expect(await client.fields(domain)).toEqual([]);
  });

  it('tells all of its bad lines', async () => {
    const { status, body } = await atomic('{"n":"x"}\n{"n":1}\n{"n":\n{"n":1,"n":2}\n');
    expect(status).toBe(422);
    expect(body.error.details.map(({ line, name }: { line: number; name: string }) => [line, name])).toEqual([
      [1, 'SchemaValidationError'],
      [3, 'MalformedBodyError'],
      [4, 'SchemaValidationError'],
    ]);
  });

  it('has its columns recorded when it is stored', async () => {
    expect((await atomic('{"n":1,"a":1}\n{"n":2,"b":{"c":1}}\n')).status).toBe(201);
    expect(await client.fields(domain)).toEqual(['/a', '/b/c']);
  });

  it('goes beside others and beside uploads', async () => {
    const answers = await Promise.all([
      ...Array.from({ length: 5 }, () => atomic(ndjson(counted(700)))),
      ...Array.from({ length: 5 }, () => untilTaken(() => client.batch(domain, ndjson(counted(700))))),
      ...Array.from({ length: 100 }, () => untilTaken(() => client.upload(domain, '{"n":1}'))),
    ]);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    expect(await client.count(domain)).toBe(10 * 700 + 100);
  });
});

describe('a batch that is not atomic', () => {
  it('has columns of the lines that are stored, and of no others', async () => {
    const { status } = await client.batch(domain, '{"n":1,"a":1}\n{"n":"x","b":1}\n{"n":2,"c":1}\n');
    expect(status).toBe(207);
    expect(await client.fields(domain)).toEqual(['/a', '/c']);
  });

  it('has no columns when none of its lines is stored', async () => {
    expect((await client.batch(domain, '{"n":"x","b":1}\n')).status).toBe(422);
    expect(await client.fields(domain)).toEqual([]);
  });
});
