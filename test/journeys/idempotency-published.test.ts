import { beforeEach, describe, expect, it } from 'vitest';
import { refusedClient } from '../support/refused-client.ts';
import { sharedSluice, until } from '../support/sluice.ts';
import { uploadClient } from '../support/upload-client.ts';

let domain: string;
let refused: ReturnType<typeof refusedClient>;

const schemaOf = (type: unknown) => ({ type: 'object', properties: { a: { type } } });
const coerce = [{ path: '/a', to: 'string' }];

const sluice = await sharedSluice();
const { token } = await sluice.owner();
const uploads = uploadClient(sluice, token);
beforeEach(async () => {
  domain = await sluice.application(token, schemaOf('number'));
  refused = refusedClient(sluice, token, domain);
});

const owned = (method: string, path: string, json?: unknown) =>
  sluice.request(method, `/applications/${domain}${path}`, { token, json });

async function publish(type: unknown): Promise<void> {
  const { status, text } = await owned('POST', '/schemas', { schema: schemaOf(type) });
  expect({ status, text }).toMatchObject({ status: 200 });
}

async function replay(options: object = {}): Promise<unknown> {
  const { body } = await owned('POST', '/replays', options);
  let job = body.data;
  await until(async () => {
    job = (await owned('GET', `/replays/${body.data.id}`)).body.data;
    return !['waiting', 'active'].includes(job.state);
  });
  return job.result;
}

const statusOf = async (payload: string, key = 'key') => (await uploads.upload(domain, payload, key)).status;
const waiting = async () => (await refused.list()).pagination.total;

describe('an upload with a key', () => {
  it('is a repetition under a schema that would refuse it', async () => {
    const first = await uploads.upload(domain, '{"a":1,"b":[{}]}', 'key');
    await publish('string');
    const again = await uploads.upload(domain, '\uFEFF{"b":[{}],"a":1.0}', 'key');
    expect([again.status, again.body.data]).toEqual([201, first.body.data]);
    expect(again.headers.get('entry-id')).toBe(first.headers.get('entry-id'));
    expect(await statusOf('{"a":2}')).toBe(409);
    expect(await statusOf('{"a":2}', 'other')).toBe(422);
    await refused.untilCounted(1);
    expect(await replay({ coerce })).toEqual({ stored: 1, still_refused: 0 });
    expect(await uploads.payloads(domain)).toEqual([{ a: '2' }, { a: 1, b: [{}] }]);
  });

  it('is kept once, however often it is refused, and replayed once', async () => {
    for (let n = 0; n < 5; n++) expect(await statusOf('{"a":"1"}')).toBe(422);
    await refused.untilCounted(5, 1);
    expect(await statusOf('{"a":"1"}')).toBe(422);
    await refused.untilCounted(6, 1);
    expect(await waiting()).toBe(1);
    await publish('string');
    expect(await replay()).toEqual({ stored: 1, still_refused: 0 });
    expect(await statusOf('{"a":"1"}')).toBe(201);
    expect(await statusOf('{"a":"2"}')).toBe(409);
    expect(await uploads.count(domain)).toBe(1);
  });

  it('of which the last refusal counts', async () => {
    expect(await statusOf('{"a":"1"}')).toBe(422);
    await refused.untilCounted(1);
    expect(await statusOf('{"a":"2"}')).toBe(422);
    await refused.untilCounted(2, 1);
    await publish('string');
    await replay();
    expect(await uploads.payloads(domain)).toEqual([{ a: '2' }]);
  });

  it('is stored once where a retry comes before the replay', async () => {
    expect(await statusOf('{"a":"1"}')).toBe(422);
    await refused.untilCounted(1);
    await publish('string');
    expect(await statusOf('{"a":"1"}')).toBe(201);
    expect(await replay()).toEqual({ stored: 0, still_refused: 0, repeated: 1 });
    expect([await uploads.count(domain), await waiting()]).toEqual([1, 0]);
  });

  it.each([
    ['a number', '{"a":1.50,"b":{"c":"x"}}', ' {"b" :{"c":"x"}, "a":15e-1}'],
    ['a number that is not stored', '{"a":18446744073709551616}', ' {"a":18446744073709551616}'],
  ])('is a repetition of %s that a replay changed', async (_what, first, again) => {
    await publish('string');
    expect(await statusOf(first)).toBe(422);
    await refused.untilCounted(1);
    expect(await replay({ coerce })).toEqual({ stored: 1, still_refused: 0 });
    const [changed] = await uploads.payloads(domain);
    for (const payload of [first, again, JSON.stringify(changed)]) expect(await statusOf(payload)).toBe(201);
    expect(await statusOf('{"a":"other"}')).toBe(409);
    expect([await uploads.count(domain), await waiting()]).toEqual([1, 0]);
  });

  it.each([
    ['a patch', { patch: [{ op: 'replace', path: '/a', value: 'z' }] }],
    ['a default', { coerce: [{ path: '/b', default: 1 }] }],
    ['a change that is refused', { patch: [{ op: 'replace', path: '/a', value: 1 }] }],
  ])('that a retry stored meanwhile is refused no more after a replay with %s', async (_what, options) => {
    expect(await statusOf('{"a":"1"}')).toBe(422);
    await refused.untilCounted(1);
    await publish('string');
    expect(await statusOf('{"a":"1"}')).toBe(201);
    expect(await replay(options)).toEqual({ stored: 0, still_refused: 0, repeated: 1 });
    expect([await uploads.payloads(domain), await waiting()]).toEqual([[{ a: '1' }], 0]);
    expect(await uploads.fields(domain)).toEqual([]);
  });

  it('is a repetition of a payload that was too deep for the stack', async () => {
    const deep = `{"a":1,"b":${'['.repeat(5_000)}${']'.repeat(5_000)}}`;
    expect(await statusOf(deep)).toBe(422);
    await refused.untilCounted(1);
    expect(await replay({ patch: [{ op: 'remove', path: '/b' }] })).toMatchObject({ stored: 1 });
    expect(await statusOf(deep)).toBe(201);
    expect(await statusOf(deep.replace('1', '2'))).toBe(409);
    expect(await uploads.payloads(domain)).toEqual([{ a: 1 }]);
  });

  it('stays refused where its key was used for another payload meanwhile', async () => {
    expect(await statusOf('{"a":"1"}')).toBe(422);
    await refused.untilCounted(1);
    expect(await statusOf('{"a":1}')).toBe(201);
    await publish(['string', 'number']);
    const coerce = [{ path: '/b', default: 1 }];
    expect(await replay({ coerce })).toEqual({ stored: 0, still_refused: 1 });
    expect(await uploads.fields(domain)).toEqual([]);
    const [{ error }] = (await refused.list()).result;
    expect(error).toMatchObject({ name: 'ResourceConflictError', details: [{ keyword: 'idempotencyKey' }] });
    expect(await uploads.payloads(domain)).toEqual([{ a: 1 }]);
  });
});

describe.each([
  ['a batch', ''],
  ['an atomic batch', '?atomic=true'],
])('%s with a key', (_what, query) => {
  const send = (body: string) =>
    uploads.batch(domain, body, { query, headers: { 'idempotency-key': 'key' } });

  it('is a repetition under a schema that would refuse it', async () => {
    const body = '{"a":1}\n{"a":2}\n';
    expect((await send(body)).status).toBe(201);
    await publish('string');
    const { status, text, body: answer } = await send(body);
    expect({ status, text }).toMatchObject({ status: 201 });
    expect(answer.data).toEqual({ accepted: 2, rejected: 0, errors: [] });
    expect(await uploads.count(domain)).toBe(2);
    expect(await refused.groups()).toEqual([]);
  });

  const partlyBad = '{"a":1}\n{"a":"2"}\n{"a":3}\n';

  it('has each line stored once where a replay comes before the retry', async () => {
    await send(partlyBad);
    await refused.untilCounted(1);
    expect(await replay({ coerce: [{ path: '/a', to: 'number' }] })).toMatchObject({ stored: 1 });
    const retried = await send(partlyBad);
    expect([retried.status, retried.body.data]).toEqual([201, { accepted: 3, rejected: 0, errors: [] }]);
    const stored = await uploads.payloads(domain);
    expect(stored.map(({ a }) => a).sort()).toEqual([1, 2, 3]);
    expect((await send(partlyBad)).status).toBe(201);
    expect(await uploads.count(domain)).toBe(3);
  });

  it('has each line stored once where the retry comes before a replay', async () => {
    await send(partlyBad);
    await refused.untilCounted(1);
    await publish(['number', 'string']);
    expect((await send(partlyBad)).status).toBe(201);
    // Which refuses the line again.
    await publish('boolean');
    expect(await replay()).toEqual({ stored: 0, still_refused: 0, repeated: 1 });
    expect([await uploads.count(domain), await waiting()]).toEqual([3, 0]);
  });

  it('whose lines a replay stored keeps its key from other batches', async () => {
    const body = '{"a":"1"}\n{"a":"2"}\n';
    expect((await send(body)).status).toBe(422);
    await refused.untilCounted(2);
    expect(await replay({ coerce: [{ path: '/a', to: 'number' }] })).toMatchObject({ stored: 2 });
    expect((await send(body)).status).toBe(201);
    expect((await send('{"a":3,"other":1}\n')).status).toBe(409);
    await publish('boolean');
    expect((await send(body)).status).toBe(201);
    expect(await uploads.count(domain)).toBe(2);
    expect(await uploads.fields(domain)).toEqual([]);
  });

  it('is refused as before where another line is still wrong after a replay', async () => {
    const body = '{"a":"1"}\n{"a":"x"}\n{"a":2}\n';
    await send(body);
    await refused.untilCounted(2);
    expect(await replay({ coerce: [{ path: '/a', to: 'number' }] })).toMatchObject({ still_refused: 1 });
    const { status, text } = await send(body);
    expect({ status, text }).toMatchObject({ status: query ? 422 : 207 });
    await publish(['number', 'string']);
    expect((await send(body)).status).toBe(201);
    const stored = await uploads.payloads(domain);
    expect(stored.map(({ a }) => String(a)).sort()).toEqual(['1', '2', 'x']);
  });

  it('does not take the line of another batch for a repetition', async () => {
    expect((await send('{"a":"1"}\n')).status).toBe(422);
    await refused.untilCounted(1);
    await replay({ coerce: [{ path: '/a', to: 'number' }] });
    const { status, body } = await send('{"a":"2"}\n');
    expect(status).not.toBe(201);
    const { name, details } = body.error;
    expect([name, details?.[0].name]).toContain('ResourceConflictError');
    expect(await uploads.payloads(domain)).toEqual([{ a: 1 }]);
  });
});
