import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { open, speak } from '../support/raw-connection.ts';
import { celsiusSchema, refusedClient } from '../support/refused-client.ts';
import { type Call, type Sluice, startSluice, storeOf, until } from '../support/sluice.ts';

const limit = 64 * 1024;
/** Of each kind, where many are lost. */
const many = 100;
const atOnce = 10;
const mostEntries = 300;

let sluice: Sluice;
beforeAll(async () => {
  sluice = await startSluice({
    workers: false,
    env: {
      BODY_LIMIT: '64KiB',
      BATCH_LIMIT: '64KiB',
      REQUEST_TIMEOUT: '1s',
      UPLOAD_RATE: `${mostEntries}/7d`,
    },
  });
});
afterAll(() => sluice.stop());

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape
type Found = any;
type Lost = Record<string, number>;

async function begin() {
  const { token } = await sluice.owner();
  const domain = await sluice.application(token, celsiusSchema);
  const client = refusedClient(sluice, token, domain);
  const { path } = client;
  const post = (to: string, call: Call) => sluice.request('POST', `${path}/${to}`, call);

  /** In the last hour, without the kinds that are not there. */
  async function counted(): Promise<{ accepted: number; refused: number; lost: Lost }> {
    const { body } = await sluice.request('GET', `${path}/stats`, { token });
    const all = { accepted: 0, refused: 0, lost: {} as Lost };
    for (const { accepted, refused, lost } of body.data) {
      all.accepted += accepted;
      all.refused += refused;
      for (const [kind, count] of Object.entries<number>(lost))
        if (count > 0) all.lost[kind] = (all.lost[kind] ?? 0) + count;
    }
    return all;
  }

  async function addKey(): Promise<{ id: string; key: string }> {
    const { body } = await sluice.request('POST', `${path}/keys`, { token, json: { name: 'till-7' } });
    return body.data;
  }

  return {
    token,
    domain,
    ...client,
    post,
    counted,
    addKey,
    /** What came before is stored with it, as counts are written in order. */
    untilLost: (expected: Lost) =>
      until(async () => JSON.stringify(sorted((await counted()).lost)) === JSON.stringify(sorted(expected))),
    change: (json: object) => sluice.request('PATCH', path, { token, json }),
  };
}

const head = (domain: string, to: string, ...framing: string[]) =>
  [`POST /api/applications/${domain}/${to} HTTP/1.1`, 'Host: a', ...framing, '', ''].join('\r\n');
const json = 'Content-Type: application/json';

const sorted = (lost: Lost) => Object.entries(lost).sort();
const ndjson = { 'content-type': 'application/x-ndjson' };
const long = `{"celsius":"${'x'.repeat(limit)}"}`;

describe('an upload that is lost before it is validated is counted', () => {
  it.each<[kind: string, what: string, to: string, call: Call, status: number]>([
    ['not_json', 'that is not JSON', 'data', { body: '{"celsius":1' }, 400],
    ['not_json', 'that is empty', 'data', { body: '', headers: { 'content-type': 'application/json' } }, 400],
    ['not_json', 'in another encoding than UTF-8', 'data', { body: Buffer.from([0x22, 0xff, 0x22]) }, 400],
    [
      'not_json',
      'that says gzip and is not',
      'data',
      { body: '{}', headers: { 'content-encoding': 'gzip' } },
      400,
    ],
    ['not_json', 'a batch that is not JSON', 'data/batch', { body: '[{"celsius":1}' }, 400],
    ['too_large', 'over the limit', 'data', { body: long }, 413],
    [
      'too_large',
      'over the limit once it is decompressed',
      'data',
      { body: gzipSync(long), headers: { 'content-encoding': 'gzip' } },
      413,
    ],
    ['too_large', 'a batch over the limit', 'data/batch', { body: long }, 413],
    [
      'media_type',
      'of another type',
      'data',
      { body: 'a=b', headers: { 'content-type': 'text/plain' } },
      415,
    ],
    ['media_type', 'without a type', 'data', { body: 'a', headers: { 'content-type': '' } }, 415],
    ['media_type', 'of another encoding', 'data', { body: 'a', headers: { 'content-encoding': 'br' } }, 415],
    [
      'media_type',
      'a batch of another type',
      'data/batch',
      { body: 'a', headers: { 'content-type': 'text/csv' } },
      415,
    ],
    [
      'rate',
      'a batch over the rate',
      'data/batch',
      { body: '{"celsius":1}\n'.repeat(mostEntries + 1), headers: ndjson },
      429,
    ],
  ])('as %s: %s', async (kind, _what, to, call, status) => {
    const { post, untilLost, counted } = await begin();
    expect((await post(to, call)).status).toBe(status);
    await untilLost({ [kind]: 1 });
    expect(await counted()).toEqual({ accepted: 0, refused: 0, lost: { [kind]: 1 } });
  });

  it('as no_key or wrong_key, and neither pages of other origins nor a personal token that may upload', async () => {
    const { token, upload, post, change, addKey, untilLost } = await begin();
    const { id, key } = await addKey();
    await change({ key_required: true, allowed_origins: ['https://a.example'] });
    const send = (headers: Record<string, string>) => upload({ celsius: 1 }, { headers });
    expect((await send({})).status).toBe(403);
    expect((await post('data/batch', { json: [{}] })).status).toBe(403);
    expect((await send({ 'x-api-key': `${key}x` })).status).toBe(403);
    expect((await send({ authorization: `Bearer ${token}` })).status).toBe(403);
    expect((await send({ 'x-api-key': key, origin: 'https://b.example' })).status).toBe(403);
    expect((await send({ 'x-api-key': key })).status).toBe(201);
    await sluice.request('DELETE', `${(await begin()).path}/keys/${id}`, { token });
    await untilLost({ no_key: 2, wrong_key: 2 });
  });

  it('as rate, each of them, beside those within it', async () => {
    const { upload, post, untilLost, counted } = await begin();
    const body = '{"celsius":1}\n'.repeat(mostEntries - 5);
    await post('data/batch', { body, headers: ndjson });
    await Promise.all(Array.from({ length: 5 + 7 }, () => upload({ celsius: 1 })));
    await untilLost({ rate: 7 });
    expect(await counted()).toEqual({ accepted: mostEntries, refused: 0, lost: { rate: 7 } });
  });

  it.each(['data', 'data/batch'])(
    'as cut: the connection to %s broke, or the body did not come in time',
    async (to) => {
      const { domain, untilLost, counted } = await begin();
      for (const framing of ['Content-Length: 100', 'Transfer-Encoding: chunked']) {
        const socket = await open(sluice.url);
        socket.write(`${head(domain, to, json, framing)}5\r\n{"cel`);
        // The server has the head once it answers the request before it.
        await new Promise((resolve) => socket.write(`\r\n`, resolve));
        await sluice.request('GET', '/health/live');
        socket.destroy();
      }
      await untilLost({ cut: 2 });
      const [late] = await speak(sluice.url, `${head(domain, to, json, 'Content-Length: 100')}{"cel`);
      expect(late?.status).toBe(408);
      await untilLost({ cut: 3 });
      expect(await counted()).toEqual({ accepted: 0, refused: 0, lost: { cut: 3 } });
    },
  );

  it('once, however the client goes on after it was refused', async () => {
    const { domain, untilLost, refuse, untilCounted, counted } = await begin();
    for (const framing of [`Content-Length: ${2 * limit}`, 'Transfer-Encoding: chunked'])
      await speak(sluice.url, head(domain, 'data', json, framing), '20000\r\n', 'x'.repeat(2 * limit));
    await refuse({});
    await untilCounted(3, 1);
    await untilLost({ too_large: 2 });
    expect(await counted()).toEqual({ accepted: 0, refused: 1, lost: { too_large: 2 } });
  });

  it('each of many, of all kinds at once, beside right uploads', async () => {
    const own = await begin();
    const rated = await begin();
    const { key } = await own.addKey();
    const keyed = await begin();
    await keyed.change({ key_required: true });
    const wrong = { headers: { 'x-api-key': key } };
    const cut = async () => {
      const socket = await open(sluice.url);
      const text = `${head(own.domain, 'data', json, 'Content-Length: 100')}{"cel`;
      await new Promise((resolve) => socket.write(text, resolve));
      socket.destroy();
    };
    const kinds: (() => Promise<unknown>)[] = [
      () => own.uploadText('{"celsius":'),
      () => own.uploadText(long),
      () => own.post('data', { body: 'a', headers: { 'content-type': 'text/csv' } }),
      cut,
      () => keyed.upload({ celsius: 1 }),
      () => keyed.upload({ celsius: 1 }, wrong),
      () => own.upload({ celsius: 'warm' }),
      () => own.upload({ celsius: 1 }),
      () => rated.upload({ celsius: 1 }),
    ];
    const full = { body: '{"celsius":1}\n'.repeat(mostEntries), headers: ndjson };
    expect((await rated.post('data/batch', full)).status).toBe(201);
    for (let n = 0; n < many; n += atOnce) {
      const each = Array.from({ length: atOnce }, () => kinds).flat();
      await Promise.all(each.map((send) => send()));
    }
    await own.untilLost({ not_json: many, too_large: many, media_type: many, cut: many });
    await keyed.untilLost({ no_key: many, wrong_key: many });
    await rated.untilLost({ rate: many });
    expect(await own.counted()).toMatchObject({ accepted: many, refused: many });
  });

  it('and not where it is only tried, for an application that is not there, or by an import', async () => {
    const { token, post, refuse, untilCounted, counted } = await begin();
    expect((await post('data/validate', { body: 'none', headers: ndjson })).status).toBe(200);
    expect((await post('data/validate', { body: '[', headers: {} })).status).toBe(400);
    expect((await sluice.request('POST', '/applications/none-abc234/data', { body: 'none' })).status).toBe(
      404,
    );
    expect(
      (await post('imports', { token, body: 'a', headers: { 'content-type': 'text/html' } })).status,
    ).toBe(415);
    await refuse({});
    await untilCounted(1);
    expect(await counted()).toEqual({ accepted: 0, refused: 1, lost: {} });
  });
});

describe('what was not JSON or too large', () => {
  it('is there with its first KiB, its sender and its group, and is neither replayed nor rehearsed', async () => {
    const { token, path, post, addKey, upload, uploadText, ...refused } = await begin();
    const { list, groups, refuse, remove, untilCounted, untilLost } = refused;
    const { id, key } = await addKey();
    await upload({ celsius: 1 }, { headers: { 'x-api-key': key } });
    await uploadText(`{"celsius":${'ä'.repeat(1_000)}`);
    await post('data', { body: Buffer.from([0x61, 0xff, 0x62]) });
    await post('data', { body: long, headers: { 'x-api-key': key } });
    await post('data', { body: gzipSync(long), headers: { 'content-encoding': 'gzip' } });
    await post('data/batch', { body: '[{"celsius":1},' });
    await uploadText('');
    await refuse({});
    await untilLost({ not_json: 4, too_large: 2 });
    // With the upload that the schema refuses: the replay is about it.
    await untilCounted(7, 6);
    const { result } = await list('?reason=not_json');
    expect(result.map(({ payload, truncated }: Found) => [payload, truncated])).toEqual([
      ['[{"celsius":1},', false],
      ['a\ufffdb', false],
      [`{"celsius":${'ä'.repeat((1_024 - 11) / 2)}`, true],
    ]);
    expect(result[0]).toMatchObject({
      source: 'batch',
      reason: 'not_json',
      schema_version: 1,
      network: '127.0.0.0/24',
      error: {
        name: 'MalformedBodyError',
        message: expect.stringContaining('nothing was stored'),
        details: [],
      },
    });
    const large = (await list('?keyword=too_large')).result;
    expect(
      large.map(({ payload, truncated, error, key }: Found) => [payload, truncated, error.name, key]),
    ).toEqual([
      [long.slice(0, 1_024), true, 'PayloadTooLargeError', undefined],
      [long.slice(0, 1_024), true, 'PayloadTooLargeError', id],
    ]);
    const [first, second] = await groups();
    expect(first).toMatchObject({
      reason: 'not_json',
      path: '',
      keyword: 'not_json',
      message: 'is not JSON',
      count: 4,
      kept: 3,
    });
    expect(first.example).toBe('[{"celsius":1},');
    expect(second).toMatchObject({ reason: 'too_large', message: 'is too large', count: 2, kept: 2 });

    expect(await groups(`?key=${id}`)).toMatchObject([{ reason: 'too_large', count: 1, kept: 1 }]);

    const replay = (json: object) => sluice.request('POST', `${path}/replays?dry_run=true`, { token, json });
    expect((await replay({})).body.data.pairs).toMatchObject([{ before: {} }]);
    expect((await replay({ ids: result.map(({ id }: Found) => id) })).body.data.pairs).toEqual([]);
    for (const json of [{ reason: 'not_json' }, { path: '', keyword: 'too_large', property: '' }]) {
      const { status, body } = await replay(json);
      expect([status, body.error.message]).toEqual([
        400,
        expect.stringContaining('only uploads that a schema refused can be replayed'),
      ]);
    }
    const json = { schema: { type: 'object' }, of: 'refused' };
    const made = await sluice.request('POST', `${path}/rehearsals`, { token, json });
    expect(made.body.data.progress).toMatchObject({ total: 1 });
    const dismissed = { path: '', keyword: 'not_json', dismissed: true };
    await sluice.request('PATCH', `${path}/refused/groups`, { token, json: dismissed });
    expect((await groups())[0]).toMatchObject({ reason: 'not_json', dismissed: true });
    expect((await remove('?reason=not_json')).body.data.message).toBe('3 refused uploads were deleted');
    expect((await list()).pagination.total).toBe(3);
  });

  it('is only counted where nothing is kept, and where nothing of it arrived', async () => {
    const { domain, change, uploadText, list, untilLost } = await begin();
    const waiting = [`Content-Length: ${2 * limit}`, 'Expect: 100-continue', json];
    await speak(sluice.url, head(domain, 'data', ...waiting));
    await change({ refused: { keep: false } });
    await uploadText('none');
    await untilLost({ not_json: 1, too_large: 1 });
    expect((await list()).pagination.total).toBe(0);
  });
});

it('lines of a batch are counted one by one, and kept with their numbers', async () => {
  const { post, list, untilLost, counted } = await begin();
  const batch = await begin();
  const body = ['{"celsius":1}', 'none', '{"celsius":"warm"}', '{"celsius":'].join('\n');
  const { status } = await post('data/batch', { body, headers: ndjson });
  expect(status).toBe(207);
  await untilLost({ not_json: 2 });
  expect(await counted()).toEqual({ accepted: 1, refused: 1, lost: { not_json: 2 } });
  const { result } = await list('?keyword=not_json');
  expect(
    result.map(({ source, line, payload, reason }: Record<string, unknown>) => [
      source,
      line,
      payload,
      reason,
    ]),
  ).toEqual([
    ['batch', 4, '{"celsius":', 'not_json'],
    ['batch', 2, 'none', 'not_json'],
  ]);
  await batch.post('data/batch?atomic=true', { body, headers: ndjson });
  await batch.untilLost({ not_json: 2 });
  expect(await batch.counted()).toEqual({ accepted: 0, refused: 1, lost: { not_json: 2 } });
});
it('uploads of a key are counted by it, as far as the key is known', async () => {
  const { token, domain, path, post, addKey, upload, uploadText, untilLost } = await begin();
  const { id, key } = await addKey();
  const headers = { 'x-api-key': key };
  await upload({ celsius: 1 }, { headers });
  await upload({ celsius: 'warm' }, { headers });
  await post('data/batch', { body: '{}\nnone\n', headers: { ...ndjson, ...headers } });
  await post('data', { body: 'none', headers });
  await uploadText('none');
  await untilLost({ not_json: 3 });
  const store = storeOf(sluice);
  const application = (await store.applications.byDomain(domain)) as { id: string };
  const now = Date.now();
  const period = { from: new Date(now - 600_000), to: new Date(now + 60_000) };
  const byKey = await store.refusalCounts.byKey(application.id, period);
  expect(byKey).toHaveLength(2);
  expect(byKey).toContainEqual({ key: id, refused: 2, lost: { not_json: 2 } });
  expect(byKey).toContainEqual({ key: null, refused: 0, lost: { not_json: 1 } });
  const { text } = await sluice.request('GET', path, { token });
  expect(JSON.parse(text).data.refused_24h).toBe(2);
});
