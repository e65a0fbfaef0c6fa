import { describe, expect, it } from 'vitest';
import { celsiusSchema, refusedClient } from '../support/refused-client.ts';
import { sharedSluice, until } from '../support/sluice.ts';

const sluice = await sharedSluice();

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape
type Found = any;

async function begin(payloads: unknown[], schema: object = celsiusSchema) {
  const { token } = await sluice.owner();
  const domain = await sluice.application(token, schema);
  const client = refusedClient(sluice, token, domain);
  const { path } = client;
  for (const payload of payloads) await client.refuse(payload);
  await client.untilCounted(payloads.length);

  const ask = (json: unknown, query = '') =>
    sluice.request('POST', `${path}/replays${query}`, { token, json });

  async function ended(id: string): Promise<Found> {
    let job: Found;
    await until(async () => {
      job = (await sluice.request('GET', `${path}/replays/${id}`, { token })).body.data;
      return !['waiting', 'active'].includes(job.state);
    });
    return job;
  }

  return {
    token,
    domain,
    ...client,
    ask,
    async replay(json: unknown = {}): Promise<Found> {
      const { status, text, body } = await ask(json);
      expect({ status, text }).toMatchObject({ status: 202 });
      return ended(body.data.id);
    },
    async entries(): Promise<Found[]> {
      return (await sluice.request('GET', `${path}/data`, { token })).body.data.result;
    },
    async payloads(): Promise<Found[]> {
      return (await client.list()).result.map(({ payload }: Found) => payload);
    },
    publish: (schema: object) => sluice.request('POST', `${path}/schemas`, { token, json: { schema } }),
  };
}

const isoTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);

describe('a replay', () => {
  it('stores what conforms to the schema in force as entries, and keeps the others with their new reasons', async () => {
    const { publish, replay, entries, list } = await begin([{ celsius: 70 }, { celsius: 'warm' }, {}]);
    const before = (await list()).result;
    await publish({
      type: 'object',
      properties: { celsius: { type: 'number', maximum: 80 }, place: {} },
      required: ['celsius', 'place'],
    });
    expect(await replay()).toMatchObject({
      kind: 'replay',
      state: 'completed',
      result: { stored: 0, still_refused: 3 },
      progress: { done: 3, total: 3 },
    });
    const { result } = await list();
    expect(result.map(({ id, received_at }: Found) => [id, received_at])).toEqual(
      before.map(({ id, received_at }: Found) => [id, received_at]),
    );
    for (const { schema_version, error } of result) {
      expect(schema_version).toBe(2);
      expect(error.details.map(({ message }: Found) => message)).toContain("must have the property 'place'");
    }
    await publish({ type: 'object', properties: { celsius: { type: 'number' } }, required: ['celsius'] });
    const job = await replay();
    expect(job).toMatchObject({ state: 'completed', result: { stored: 1, still_refused: 2 } });
    expect(await entries()).toEqual([
      expect.objectContaining({
        payload: { celsius: 70 },
        schema_version: 3,
        createdAt: isoTime,
        received_at: before[2].received_at,
      }),
    ]);
  });

  it('keeps the former reason where there is no time to find the new one', async () => {
    const { publish, replay, list } = await begin([{ celsius: 'warm', place: 1 }]);
    const [before] = (await list()).result;
    const pair = (to: number) => ({ anyOf: Array(2).fill({ $ref: `#/$defs/d${to}` }) });
    const ways = Array.from({ length: 30 }, (_, i) => [`d${i}`, pair(i + 1)]);
    await publish({
      type: 'object',
      properties: { celsius: { type: 'number' }, place: { $ref: '#/$defs/d0' } },
      $defs: { ...Object.fromEntries(ways), d30: { type: 'string' } },
    });
    expect(await replay()).toMatchObject({ state: 'completed', result: { stored: 0, still_refused: 1 } });
    expect((await list()).result).toEqual([before]);
  });

  it('stores nothing twice, however often it is run', async () => {
    const { publish, replay, entries, payloads } = await begin([{ celsius: 61 }, { celsius: 62 }]);
    await publish({ type: 'object' });
    expect((await replay()).result).toEqual({ stored: 2, still_refused: 0 });
    expect((await replay()).result).toEqual({ stored: 0, still_refused: 0 });
    expect((await entries()).map(({ payload }) => payload.celsius).sort()).toEqual([61, 62]);
    expect(await payloads()).toEqual([]);
  });

  it('takes those that are named: by id, by reason, by period', async () => {
    const { publish, replay, list, payloads } = await begin([
      { celsius: 61 },
      { celsius: 'a' },
      {},
      { celsius: 62 },
    ]);
    await publish({ type: 'object' });
    const [newest, ...others] = (await list()).result;
    expect((await replay({ ids: [newest.id] })).result).toEqual({ stored: 1, still_refused: 0 });
    expect((await replay({ path: '/celsius', keyword: 'type' })).result).toMatchObject({ stored: 1 });
    expect((await replay({ to: others.at(-1).received_at })).result).toMatchObject({ stored: 0 });
    expect(await payloads()).toEqual([{}, { celsius: 61 }]);
    expect((await replay({ from: others.at(-1).received_at })).result).toMatchObject({ stored: 2 });
  });

  it('of a group takes those that lack its property, and what is still refused leaves the group', async () => {
    const schema = { type: 'object', properties: { celsius: { type: 'number' } } };
    const { publish, replay, list } = await begin([{ celsius: 'a' }, { place: 1, celsius: 1 }], {
      ...schema,
      required: ['place', 'time'],
    });
    const group = { path: '', keyword: 'required', property: 'place' };
    expect((await list('?path=&keyword=required&property=place')).pagination.total).toBe(1);
    await publish(schema);
    expect((await replay(group)).result).toEqual({ stored: 0, still_refused: 1 });
    expect((await list('?path=/celsius&keyword=type&property=')).pagination.total).toBe(1);
    expect((await replay({ property: 'time' })).result).toEqual({ stored: 1, still_refused: 0 });
  });

  it('changes payloads first, and keeps their digits', async () => {
    const { token, path, uploadText, untilCounted, replay, entries } = await begin([]);
    for (const text of [
      '{"temp":" 21.50 ","n":9007199254740993}',
      '{"temp":"-3","id":12345678901234567890}',
      '{"temp":"4","id":1.10}',
      '{"temp":"warm"}',
    ])
      await uploadText(text);
    await untilCounted(4);
    const job = await replay({
      patch: [{ op: 'move', from: '/temp', path: '/celsius' }],
      coerce: [
        { path: '/celsius', to: 'number' },
        { path: '/id', to: 'string' },
        { path: '/place', default: 'Oslo' },
      ],
    });
    expect(job.result).toEqual({ stored: 3, still_refused: 1 });
    expect((await entries()).map(({ payload }) => payload)).toEqual([
      { id: '1.10', celsius: 4, place: 'Oslo' },
      { id: '12345678901234567890', celsius: -3, place: 'Oslo' },
      { n: expect.anything(), celsius: 21.5, place: 'Oslo' },
    ]);
    const { text } = await sluice.request('GET', `${path}/data`, { token });
    expect(text).toContain('"n":9007199254740993');
  });

  it('leaves what its patch does not suit as it was', async () => {
    const { replay, list } = await begin([
      { celsius: '1', unit: 'C' },
      { celsius: '2', unit: 'F' },
      { celsius: '3' },
    ]);
    const before = (await list()).result;
    const job = await replay({
      patch: [{ op: 'test', path: '/unit', value: 'C' }],
      coerce: [{ path: '/celsius', to: 'number' }],
    });
    expect(job.result).toEqual({ stored: 1, still_refused: 2 });
    expect((await list()).result).toEqual(before.slice(0, 2));
  });

  it('leaves what came later alone, and what is cut off', async () => {
    const { publish, refuse, untilCounted, replay, payloads } = await begin([]);
    await refuse({ celsius: 'x'.repeat(70_000) });
    await refuse({ celsius: 'short' });
    await untilCounted(2);
    await publish({ type: 'object' });
    expect((await replay()).result).toEqual({ stored: 1, still_refused: 1 });
    expect(await payloads()).toEqual([expect.stringMatching(/^\{"celsius":"xxx/)]);
  });

  it('is in the audit log, and nobody else can make one', async () => {
    const { token, domain, path, replay } = await begin([{}]);
    const { id } = await replay();
    const { body } = await sluice.request('GET', '/users/me/activity?limit=1', { token });
    expect(body.data.result).toMatchObject([{ action: 'replay.made', application: domain, job: id }]);
    const other = (await sluice.owner()).token;
    expect((await sluice.request('POST', `${path}/replays`, { token: other, json: {} })).status).toBe(404);
    expect((await sluice.request('GET', `${path}/replays/${id}`, { token: other })).status).toBe(404);
  });

  it.each([
    [
      '/patch/1/op',
      {
        patch: [
          { op: 'remove', path: '/a' },
          { op: 'delete', path: '/a' },
        ],
      },
    ],
    ['/patch/0/path', { patch: [{ op: 'remove', path: 'a' }] }],
    ['/patch/0/path', { patch: [{ op: 'add', path: '/__proto__/a', value: 1 }] }],
    ['/patch/0/value', { patch: [{ op: 'replace', path: '/a' }] }],
    ['/patch/0/from', { patch: [{ op: 'move', path: '/a' }] }],
    ['/patch', { patch: Array.from({ length: 101 }, () => ({ op: 'remove', path: '/a' })) }],
    ['/patch', { patch: 'no JSON' }],
    ['/coerce/0/to', { coerce: [{ path: '/a', to: 'colour' }] }],
    ['/coerce/0', { coerce: [1] }],
    ['/ids/0', { ids: ['x'] }],
  ])('is refused for what is wrong at %s', async (place, json) => {
    const { ask } = await begin([]);
    const { status, body } = await ask(json);
    expect([status, body.error.name]).toEqual([400, 'InvalidRequestError']);
    expect(body.error.details[0].path).toBe(place);
  });

  const value = '{"b":1,"b":2}';
  const patch = `[{"op":"add","path":"/a","value":${value}}]`;
  const coerce = `[{"path":"/a","default":[${value}]}]`;
  it.each([
    ['/patch/0/value/b', `{"patch":${patch}}`],
    ['/patch/0/value/b', JSON.stringify({ patch })],
    ['/coerce/0/default/0/b', `{"coerce":${coerce}}`],
    ['/coerce/0/default/0/b', JSON.stringify({ coerce })],
    ['/patch', '{"patch":[],"p\\u0061tch":[{"op":"remove","path":"/a"}]}'],
    ['/ids', '{"ids":["66f1c2a4e8b5d70912345678"],"ids":["66f1c2a4e8b5d70912345679"]}'],
    ['/coerce/0/to', '{"coerce":[{"path":"/a","to":"string","to":"number"}]}'],
  ])('is refused for the key twice at %s: %s', async (place, body) => {
    const { token, path } = await begin([]);
    for (const query of ['', '?dry_run=true']) {
      const answer = await sluice.request('POST', `${path}/replays${query}`, { token, body });
      expect(answer.status).toBe(400);
      expect(answer.body.error.details).toMatchObject([{ in: 'body', path: place }]);
    }
  });
});

describe('a dry run', () => {
  it('shows pairs of before and after, and stores nothing', async () => {
    const { ask, entries, payloads } = await begin([{ celsius: '21.5' }, { celsius: 'warm' }]);
    const { status, body } = await ask({ coerce: [{ path: '/celsius', to: 'number' }] }, '?dry_run=true');
    expect(status).toBe(200);
    expect(body.data).toEqual({
      checked: 2,
      conforming: 1,
      pairs: [
        { before: { celsius: '21.5' }, after: { celsius: 21.5 }, ok: true },
        {
          before: { celsius: 'warm' },
          after: { celsius: 'warm' },
          ok: false,
          error: {
            name: 'SchemaValidationError',
            message: expect.any(String),
            details: [{ path: '/celsius', keyword: 'type', message: 'must be number' }],
          },
        },
      ],
    });
    const failing = await ask({ patch: [{ op: 'remove', path: '/place' }] }, '?dry_run=true');
    expect(failing.body.data.pairs[0]).toEqual({
      before: { celsius: '21.5' },
      after: { celsius: '21.5' },
      ok: false,
      error: { message: 'there is nothing at /place' },
    });
    expect(await entries()).toEqual([]);
    expect(await payloads()).toHaveLength(2);
  });

  it('shows ten at most', async () => {
    const { ask } = await begin(Array.from({ length: 12 }, () => ({})));
    const { checked, pairs } = (await ask({}, '?dry_run=true')).body.data;
    expect([checked, pairs.length]).toEqual([12, 10]);
  });
});
