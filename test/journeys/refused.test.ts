import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { importClient } from '../support/import-client.ts';
import { celsiusSchema, refusedClient } from '../support/refused-client.ts';
import { quickPurges, type Sluice, startSluice, storeOf, until } from '../support/sluice.ts';

let sluice: Sluice;
beforeAll(async () => {
  sluice = await startSluice({ env: { BODY_LIMIT: '300KiB' }, workerEnv: quickPurges });
});
afterAll(() => sluice.stop());

async function begin(schema: object = celsiusSchema) {
  const { token } = await sluice.owner();
  const domain = await sluice.application(token, schema);
  return { token, domain, ...refusedClient(sluice, token, domain) };
}

const notNumber = { path: '/celsius', keyword: 'type', message: 'must be number' };

describe('a refused upload', () => {
  it('is there for the owner as it was sent, with all that is wrong with it', async () => {
    const { domain, upload, uploadText, list, untilCounted } = await begin();
    await upload({ celsius: 1 });
    const answer = await uploadText('{"celsius":"warm", "at": 12345678901234567890, "n":9007199254740993}');
    expect(answer.status).toBe(422);
    await untilCounted(1);
    await uploadText('{"celsius":"warm", "n":9007199254740993}');
    await untilCounted(2);
    const { result, pagination } = await list();
    expect(pagination).toMatchObject({ total: 2, isLast: true, current: 0, next: 0 });
    expect(result[0]).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{24}$/),
      received_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      source: 'upload',
      reason: 'schema',
      schema_version: 1,
      error: {
        name: 'SchemaValidationError',
        message: `the payload does not conform to the schema of ${domain}`,
        details: [notNumber],
      },
      network: '127.0.0.0/24',
      payload: { celsius: 'warm', n: expect.anything() },
      truncated: false,
    });
    expect(result[1].error).toMatchObject({ details: [{ path: '/at', keyword: 'integerRange' }] });
  });

  it('keeps the digits of its numbers', async () => {
    const { path, token, uploadText, untilCounted } = await begin();
    await uploadText('{"n":9007199254740993}');
    await untilCounted(1);
    const { text } = await sluice.request('GET', `${path}/refused`, { token });
    expect(text).toContain('"payload":{"n":9007199254740993}}');
  });

  it('is kept, whatever is wrong with it, and counted where it is empty', async () => {
    const { uploadText, list, untilCounted } = await begin();
    const refused = [
      ['{"__proto__":1}', 400],
      ['[{"celsius":1}]', 422],
      ['{"celsius":1,"celsius":2}', 422],
      ['{"celsius":1', 400],
      ['', 400],
      [`{"celsius":"${'x'.repeat(320_000)}"}`, 413],
    ] as const;
    for (const [text, status] of refused) expect((await uploadText(text)).status).toBe(status);
    await untilCounted(6, 5);
    const { result } = await list();
    const found = result.map(({ reason, error }: Record<string, { name: string }>) => [reason, error?.name]);
    expect(found.sort()).toEqual([
      ['not_json', 'MalformedBodyError'],
      ['schema', 'MalformedBodyError'],
      ['schema', 'SchemaValidationError'],
      ['schema', 'SchemaValidationError'],
      ['too_large', 'PayloadTooLargeError'],
    ]);
  });

  it('is cut off after 64 KiB, also where a thread validated it', async () => {
    const { upload, list, untilCounted } = await begin();
    // On a busy machine too many may wait for the thread.
    await until(async () => (await upload({ celsius: 'ä'.repeat(70_000) })).status === 422);
    await untilCounted(1);
    const [found] = (await list()).result;
    expect(found).toMatchObject({ truncated: true, error: { details: [notNumber] } });
    expect(found.payload).toBe(`{"celsius":"${'ä'.repeat((64 * 1024 - 12) / 2)}`);
  });

  it('names the key with which it came', async () => {
    const { token, path, refuse, list, untilCounted } = await begin();
    const { body } = await sluice.request('POST', `${path}/keys`, { token, json: { name: 'station' } });
    await sluice.request('PATCH', path, { token, json: { key_required: true } });
    const headers = { 'x-api-key': body.data.key };
    await refuse({ celsius: 'warm' }, { headers });
    await sluice.request('POST', `${path}/data/batch`, { json: [{}], headers });
    await untilCounted(2);
    const { result } = await list();
    for (const found of result) {
      expect(found.key).toBe(body.data.id);
      expect(found).not.toHaveProperty('network');
    }
  });
});

describe('refused lines', () => {
  it('of a batch and of an import are there with their numbers', async () => {
    const { token, domain, path, list, untilCounted } = await begin();
    const lines = '{"celsius":1}\n{"celsius":"warm"}\nnone\n{}\n';
    const headers = { 'content-type': 'application/x-ndjson' };
    await sluice.request('POST', `${path}/data/batch`, { body: lines, headers });
    await sluice.request('POST', `${path}/data/batch?atomic=true`, { body: lines, headers });
    const { complete } = importClient(sluice, token);
    await complete(domain, lines);
    await complete(domain, 'celsius,place\nwarm,Oslo\n1,Oslo\n"",Rome\n"a', { type: 'text/csv' });
    await untilCounted(10);
    const { result } = await list();
    const found = result.map(({ source, line, payload, error }: Record<string, { details?: [] }>) =>
      [
        source,
        line,
        JSON.stringify(payload),
        (error?.details as { keyword: string }[] | undefined)?.[0]?.keyword,
      ].join(' '),
    );
    expect(found.sort()).toEqual([
      'batch 2 {"celsius":"warm"} type',
      'batch 2 {"celsius":"warm"} type',
      'batch 3 "none" ',
      'batch 3 "none" ',
      'batch 4 {} required',
      'batch 4 {} required',
      'import 2 {"celsius":"warm","place":"Oslo"} type',
      'import 2 {"celsius":"warm"} type',
      'import 4 {"place":"Rome"} required',
      'import 4 {} required',
    ]);
  });

  it('of a batch that is only tried are not', async () => {
    const { path, refuse, counted, untilCounted } = await begin();
    await sluice.request('POST', `${path}/data/validate`, { json: [{}, {}] });
    await refuse({ celsius: 'warm' });
    await untilCounted(1);
    expect(await counted()).toBe(1);
  });
});

describe('the groups', () => {
  it('count each reason exactly, most frequent first, with an example of what is kept', async () => {
    const { refuse, groups, untilCounted } = await begin();
    for (const celsius of ['warm', 'cold', 61, 'hot']) await refuse({ celsius });
    await refuse({});
    await refuse({ celsius: 'x'.repeat(5_000) });
    await untilCounted(6);
    const at = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    const [first, ...others] = await groups();
    expect(first).toEqual({
      reason: 'schema',
      ...notNumber,
      count: 4,
      kept: 4,
      dismissed: false,
      first_at: at,
      last_at: at,
      last_day: expect.any(Array),
      example: `{"celsius":"${'x'.repeat(4_096 - 12)}`,
    });
    expect(first.first_at < first.last_at).toBe(true);
    expect(others.map(({ keyword, count, example }) => ({ keyword, count, example }))).toEqual(
      expect.arrayContaining([
        { keyword: 'maximum', count: 1, example: { celsius: 61 } },
        { keyword: 'required', count: 1, example: {} },
      ]),
    );
  });

  it('tell apart which member is missing or too many, as do the list, dismissals, replays and deletions', async () => {
    const { token, path, refuse, list, groups, remove, untilCounted } = await begin({
      type: 'object',
      properties: { place: {}, humidity: {} },
      required: ['place', 'humidity'],
      additionalProperties: false,
    });
    for (let n = 0; n < 2; n++) await refuse({ humidity: n });
    for (let n = 0; n < 3; n++) await refuse({ place: n });
    await refuse({ place: 1, humidity: 1, wind: 1 });
    await untilCounted(6);
    const shown = async () =>
      (await groups()).map(({ keyword, property, count, kept }) => [keyword, property, count, kept]);
    expect(await shown()).toEqual([
      ['required', 'humidity', 3, 3],
      ['required', 'place', 2, 2],
      ['additionalProperties', 'wind', 1, 1],
    ]);
    const place = '?path=&keyword=required&property=place';
    const { result } = await list(place);
    expect(result.map(({ payload }: { payload: object }) => payload)).toEqual([
      { humidity: 1 },
      { humidity: 0 },
    ]);
    expect(result[0].error.details).toEqual([
      { path: '', keyword: 'required', property: 'place', message: "must have the property 'place'" },
    ]);
    expect((await list('?property=')).result).toEqual([]);
    const reason = { path: '', keyword: 'required', property: 'place' };
    await sluice.request('PATCH', `${path}/refused/groups`, { token, json: { ...reason, dismissed: true } });
    expect((await groups()).filter(({ dismissed }) => dismissed)).toMatchObject([reason]);
    const dryRun = `${path}/replays?dry_run=true`;
    const { body } = await sluice.request('POST', dryRun, { token, json: reason });
    expect(body.data.pairs).toMatchObject([{ before: { humidity: 0 } }, { before: { humidity: 1 } }]);
    expect((await remove(place)).body.data).toEqual({ message: '2 refused uploads were deleted' });
    expect((await shown()).map(([, property, , kept]) => [property, kept])).toEqual([
      ['humidity', 3],
      ['place', 0],
      ['wind', 1],
    ]);
  });

  it('count what is not kept too, and also what is deleted', async () => {
    const { token, path, refuse, list, groups, remove, untilCounted } = await begin();
    await refuse({ celsius: 'kept' });
    await sluice.request('PATCH', path, { token, json: { refused: { keep: false } } });
    await refuse({ celsius: 'not kept' });
    await untilCounted(2, 1);
    expect(await groups()).toMatchObject([{ count: 2, kept: 1, example: { celsius: 'kept' } }]);
    expect((await remove()).body.data).toEqual({ message: '1 refused upload was deleted' });
    expect((await list()).pagination.total).toBe(0);
    const [left] = await groups();
    expect(left).toMatchObject({ count: 2, kept: 0 });
    expect(left).not.toHaveProperty('example');
  });

  it('stay dismissed until something of them is refused again', async () => {
    const { token, path, refuse, groups, untilCounted } = await begin();
    await refuse({ celsius: 'warm' });
    await refuse({});
    await untilCounted(2);
    const dismiss = (json: object) => sluice.request('PATCH', `${path}/refused/groups`, { token, json });
    const dismissed = async () => {
      const found = (await groups()).filter((group) => group.dismissed);
      return found.map((group) => `${group.path} ${group.keyword}`);
    };
    expect(await dismissed()).toEqual([]);
    const reason = { path: '/celsius', keyword: 'type' };
    expect((await dismiss({ ...reason, dismissed: true })).status).toBe(200);
    await dismiss({ ...reason, dismissed: true });
    expect(await dismissed()).toEqual(['/celsius type']);
    await dismiss({ ...reason, dismissed: false });
    expect(await dismissed()).toEqual([]);
    await dismiss({ ...reason, dismissed: true });
    await refuse({ celsius: 'hot' });
    await untilCounted(3);
    expect(await dismissed()).toEqual([]);
    expect((await dismiss({ ...reason, dismissed: 'yes' })).status).toBe(400);
    expect((await dismiss({ path: '/celsius', dismissed: true })).status).toBe(400);
  });

  it('of a period are those of its minutes', async () => {
    const { refuse, groups, untilCounted } = await begin();
    await refuse({});
    await untilCounted(1);
    const [{ first_at }] = await groups();
    const at = (ms: number) => encodeURIComponent(new Date(Date.parse(first_at) + ms).toISOString());
    const counts = async (query: string) => (await groups(query)).map(({ count, kept }) => [count, kept]);
    expect(await counts(`?from=${at(0)}&to=${at(1)}`)).toEqual([[1, 1]]);
    expect(await counts(`?from=${at(60_000)}`)).toEqual([]);
    expect(await counts(`?to=${at(-60_000)}`)).toEqual([]);
  });
});

describe('the list', () => {
  it('is the same by index and by cursor, and has what its filters leave', async () => {
    const { refuse, list, untilCounted } = await begin();
    for (let n = 0; n < 7; n++) await refuse(n % 2 === 0 ? { celsius: `${n}` } : { celsius: 100 + n });
    await untilCounted(7);
    const all = (await list()).result;
    const ids = (result: { id: string }[]) => result.map(({ id }) => id);
    const byIndex: string[] = [];
    const byCursor: string[] = [];
    for (let start = 0, after = ''; start < 7; start += 3) {
      const page = await list(`?start=${start}&limit=3`);
      expect(page.pagination).toMatchObject({
        total: 7,
        isLast: start === 6,
        previous: Math.max(start - 3, 0),
      });
      byIndex.push(...ids(page.result));
      const behind = await list(`?limit=3${after}`);
      byCursor.push(...ids(behind.result));
      after = `&after=${behind.pagination.cursor}`;
    }
    expect(byIndex).toEqual(ids(all));
    expect(byCursor).toEqual(ids(all));
    const filtered = await list('?path=/celsius&keyword=maximum');
    expect(filtered.result.map(({ payload }: { payload: { celsius: number } }) => payload.celsius)).toEqual([
      105, 103, 101,
    ]);
    expect(filtered.pagination.total).toBe(3);
    const { received_at, id } = all[3];
    const since = await list(`?from=${encodeURIComponent(received_at)}`);
    expect(ids(since.result)).toContain(id);
    expect(ids((await list(`?to=${encodeURIComponent(received_at)}`)).result)).not.toContain(id);
  });

  it('is a sample where very much comes, while the counts are exact', async () => {
    const { refuse, list, untilCounted } = await begin();
    for (let n = 0; n < 300; n++) await refuse({ celsius: 'x'.repeat(60_000) });
    await untilCounted(300, 31);
    const { total } = (await list('?limit=1')).pagination;
    // A payload of that size counts as 15 small ones.
    expect(total).toBeGreaterThan(30);
    expect(total).toBeLessThan(300);
  });

  it.each(['limit=0', 'limit=1001', 'start=-1', 'after=x', 'from=yesterday', 'page=1'])(
    'refuses ?%s',
    async (query) => {
      const { token, path } = await begin();
      const { status, body } = await sluice.request('GET', `${path}/refused?${query}`, { token });
      expect([status, body.error.name]).toEqual([400, 'InvalidRequestError']);
    },
  );
});

describe('what is deleted', () => {
  it('is what the filters say, and is in the audit log', async () => {
    const { token, domain, refuse, list, remove, untilCounted } = await begin();
    await refuse({ celsius: 'warm' });
    await refuse({ celsius: 61 });
    await refuse({});
    await untilCounted(3);
    expect((await remove('?keyword=maximum')).body.data).toEqual({ message: '1 refused upload was deleted' });
    const { result } = await list();
    expect(result.map(({ payload }: { payload: object }) => payload)).toEqual([{}, { celsius: 'warm' }]);
    const { body } = await sluice.request('GET', '/users/me/activity?limit=1', { token });
    expect(body.data.result).toMatchObject([
      {
        action: 'refused.deleted',
        application: domain,
        details: { keyword: 'maximum', removed: 1 },
      },
    ]);
  });

  it('goes with the application', async () => {
    const { token, domain, path, refuse, untilCounted } = await begin();
    await refuse({});
    await untilCounted(1);
    const store = storeOf(sluice);
    const { id } = (await store.applications.byDomain(domain)) as { id: string };
    await sluice.request('DELETE', path, { token });
    await until(async () => (await store.applications.tombstone(id)) === undefined);
    expect(await store.refused.count(id, {})).toBe(0);
    expect(await store.refusalCounts.totals(id, {}, 10)).toEqual([]);
  });
});

describe('the settings', () => {
  it('are shown with the application, change one by one, and are checked', async () => {
    const { token, path } = await begin();
    const patch = (refused: object) => sluice.request('PATCH', path, { token, json: { refused } });
    const shown = async () => (await sluice.request('GET', path, { token })).body.data.refused;
    expect(await shown()).toEqual({ keep: true, limit: 10_000, days: 30 });
    expect((await patch({ days: 7 })).body.data.refused).toEqual({ keep: true, limit: 10_000, days: 7 });
    await patch({ keep: false, limit: 5 });
    expect(await shown()).toEqual({ keep: false, limit: 5, days: 7 });
    for (const wrong of [{ limit: 0 }, { limit: 100_001 }, { days: 366 }, { keep: 1 }, { more: 1 }])
      expect((await patch(wrong)).status).toBe(400);
  });

  it('limit how many are kept: the oldest go first, at once when the limit is lowered', async () => {
    const { token, path, refuse, list, untilCounted } = await begin();
    for (let n = 0; n < 9; n++) await refuse({ celsius: `${n}` });
    await untilCounted(9);
    const kept = async () =>
      (await list()).result.map(({ payload }: { payload: { celsius: string } }) => payload.celsius);
    await sluice.request('PATCH', path, { token, json: { refused: { limit: 4 } } });
    expect(await kept()).toEqual(['8', '7', '6', '5']);
    await refuse({ celsius: '9' });
    await untilCounted(10, 4);
    await until(async () => (await kept()).join() === '9,8,7,6');
  });
});

it("refused uploads are nobody else's", async () => {
  const { path, refuse, untilCounted } = await begin();
  await refuse({});
  await untilCounted(1);
  const { token } = await sluice.owner();
  for (const [method, where] of [
    ['GET', ''],
    ['GET', '/groups'],
    ['DELETE', ''],
  ] as const) {
    const asked = `${path}/refused${where}`;
    expect((await sluice.request(method, asked, { token })).status).toBe(404);
    expect((await sluice.request(method, asked)).status).toBe(401);
  }
});
