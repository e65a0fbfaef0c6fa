import { startApi } from '@sluice/api/start.ts';
import { loadApiConfig } from '@sluice/shared/config/load.ts';
import { createLogger } from '@sluice/shared/logger.ts';
import { type Condition, FilterTimeout } from '@sluice/store/entries/entry-filter.ts';
import { describe, expect, it, onTestFinished } from 'vitest';
import { entriesIn, modelEntries } from '../support/model-entries.ts';
import { ownDatabase } from '../support/own-database.ts';
import { call, sharedSluice } from '../support/sluice.ts';
import { ndjson, uploadClient } from '../support/upload-client.ts';

const payloads = [
  { n: 0, celsius: 20, place: 'Oslo', address: { city: 'Oslo' } },
  { n: 1, celsius: 30, place: 'Bergen', note: null },
  { n: 2, celsius: 29.5, place: 'oslo', address: { city: null } },
  { n: 3, celsius: '25', place: ['Oslo'], address: [{ city: 'Oslo' }] },
  { n: 4, tags: ['a', 'b'], ok: true, note: '' },
  { n: 5, tags: 'a', ok: false, 'address.city': 'Oslo' },
  { n: 6, celsius: -1, $gt: 1, text: '$payload.n', address: null },
  { n: 7, ok: 'true', text: 'ä', createdAt: 'then', address: 'Oslo' },
];

async function list(filter: unknown, more = '', at = domain) {
  const query = encodeURIComponent(typeof filter === 'string' ? filter : JSON.stringify(filter));
  const answer = await sluice.request('GET', `/applications/${at}/data?filter=${query}${more}`, { token });
  return {
    ...answer,
    numbers: answer.body.data?.result.map(({ payload }: { payload: { n: number } }) => payload.n),
  };
}

const sluice = await sharedSluice();
const { token } = await sluice.owner();
const domain = await sluice.application(token);
await uploadClient(sluice, token).batch(domain, ndjson(payloads));

describe('a filter', () => {
  it.each<[object, number[]]>([
    [{}, [7, 6, 5, 4, 3, 2, 1, 0]],
    [{ celsius: { gte: 20, lt: 30 } }, [2, 0]],
    [{ celsius: { lt: 100 } }, [6, 2, 1, 0]],
    [{ celsius: { gt: '' } }, [3]],
    [{ celsius: 30 }, [1]],
    [{ place: { in: ['Oslo', 'Bergen'] } }, [1, 0]],
    [{ place: { lt: 'a' } }, [1, 0]],
    [{ place: { ne: 'Oslo' } }, [7, 6, 5, 4, 3, 2, 1]],
    [{ place: { ne: null } }, [7, 6, 5, 4, 3, 2, 1, 0]],
    [{ 'address.city': { eq: 'Oslo' } }, [0]],
    [{ '/address/city': { eq: 'Oslo' } }, [0]],
    [{ '/address.city': { eq: 'Oslo' } }, [5]],
    [{ 'address.city': { eq: null } }, [2]],
    [{ 'address.city': { exists: true } }, [2, 0]],
    [{ 'address.0.city': { exists: true } }, []],
    [{ address: { exists: true } }, [7, 6, 3, 2, 0]],
    [{ note: { exists: false } }, [7, 6, 5, 3, 2, 0]],
    [{ note: { eq: null } }, [1]],
    [{ note: { in: [null, ''] } }, [4, 1]],
    [{ tags: { eq: 'a' } }, [5]],
    [{ tags: { in: ['a', 'b'] } }, [5]],
    [{ tags: { gte: '' } }, [5]],
    [{ tags: { exists: true } }, [5, 4]],
    [{ ok: true }, [4]],
    [{ ok: { ne: true } }, [7, 6, 5, 3, 2, 1, 0]],
    [{ $gt: 1 }, [6]],
    [{ text: '$payload.n' }, [6]],
    [{ text: { in: ['$payload.n', '$$ROOT'] } }, [6]],
    [{ text: { gt: 'z' } }, [7]],
    [{ '/createdAt': 'then' }, [7]],
    [{ n: { eq: '$payload.n' } }, []],
    [{ place: { contains: 'OSL' } }, [2, 0]],
    [{ text: { contains: '.n' } }, [6]],
    [{ text: { contains: 'Ä' } }, [7]],
    [{ note: { contains: '' } }, [4]],
    [{ '/address.city': { contains: 'o' } }, [5]],
    [{ celsius: { contains: '2' } }, [3]],
    [{ constructor: { exists: true } }, []],
    [{ nope: { ne: 1 } }, [7, 6, 5, 4, 3, 2, 1, 0]],
    [{ nope: { ne: null } }, [7, 6, 5, 4, 3, 2, 1, 0]],
    [{ nope: { exists: false } }, [7, 6, 5, 4, 3, 2, 1, 0]],
    [{ nope: { exists: true } }, []],
    [{ nope: { ne: 1, exists: true } }, []],
    [{ nope: null }, []],
    [{ nope: { in: [null, 1] } }, []],
    [{ nope: { lt: 1 } }, []],
    [{ tags: { ne: 'a' } }, [7, 6, 4, 3, 2, 1, 0]],
    [{ 'address.city': { ne: 'Oslo' } }, [7, 6, 5, 4, 3, 2, 1]],
    [{ 'address.0.city': { ne: 'Oslo' } }, [7, 6, 5, 4, 3, 2, 1, 0]],
    [{ place: { ne: 'Oslo', exists: true } }, [3, 2, 1]],
    [{ n: { gte: 2, lte: 5, ne: 3 }, tags: { exists: true } }, [5, 4]],
  ])('%j', async (filter, expected) => {
    const { numbers, body } = await list(filter);
    expect(numbers).toEqual(expected);
    expect(body.data.pagination).toMatchObject({ total: expected.length, isLast: true });
  });

  it('goes with start, limit, a cursor and a period', async () => {
    const at = await sluice.application(token);
    const { batch } = uploadClient(sluice, token);
    await batch(at, ndjson(Array.from({ length: 40 }, (_, n) => ({ n, even: n % 2 === 0 }))));
    const even = Array.from({ length: 20 }, (_, i) => 38 - 2 * i);
    const first = await list({ even: true }, '&limit=6', at);
    expect(first.numbers).toEqual(even.slice(0, 6));
    expect(first.body.data.pagination).toMatchObject({ total: 20, next: 6, isLast: false });
    const { cursor } = first.body.data.pagination;
    const second = await list({ even: true }, `&limit=6&after=${cursor}`, at);
    expect(second.numbers).toEqual(even.slice(6, 12));
    const last = await list({ even: true }, `&limit=6&start=9&after=${cursor}`, at);
    expect(last.numbers).toEqual(even.slice(15));
    expect(last.body.data.pagination).toMatchObject({ total: 20, isLast: true });
    const none = await list({ even: true }, '&to=2000-01-01', at);
    expect(none.body.data.pagination).toMatchObject({ total: 0, isLast: true });
  });

  it.each([
    ['{"n":', '/filter'],
    ['[]', '/filter'],
    ['{"n":{"$gt":0}}', '/filter/n/$gt'],
    ['{"$where":{"eq":{"$function":1}}}', '/filter/$where/eq'],
    ['{"n":{"eq":{"$gt":0}}}', '/filter/n/eq'],
    ['{"n":{"in":[{"$gt":0}]}}', '/filter/n/in'],
    ['{"createdAt":{"gt":1}}', '/filter/createdAt'],
    [`{"n":"${'x'.repeat(4_096)}"}`, '/filter'],
  ])('that is wrong is refused with its place: %s', async (filter, path) => {
    const { status, body } = await list(filter);
    expect(status).toBe(400);
    expect(body.error).toMatchObject({ name: 'InvalidRequestError', details: [{ in: 'querystring', path }] });
    expect(body.error.message).toContain(`\`${path.slice(1)}\` `);
  });

  it('that is given twice is refused', async () => {
    const { status } = await list({}, '&filter={}');
    expect(status).toBe(400);
  });

  it('that takes too long is given up, the page and the total each by itself', async () => {
    const { db } = await ownDatabase();
    const { application, insert } = await modelEntries(db, { spacing: 5_000 });
    await insert(Array.from({ length: 20_000 }, (_, n) => n));
    const hasty = entriesIn(db, { filterMs: 1 });
    const filter: Condition[] = [{ path: ['n'], operator: 'lt', value: 0 }];
    await expect(hasty.count(application, { filter })).rejects.toThrow(FilterTimeout);
    await expect(hasty.page(application, { filter, start: 0, limit: 1 })).rejects.toThrow(FilterTimeout);
    expect(await entriesIn(db, {}).count(application, { filter })).toBe(0);
  });

  it('that takes too long is refused with advice; without a filter the same is answered', async () => {
    const log = createLogger('test', { level: 'silent', pretty: false });
    const config = loadApiConfig(sluice.env);
    const mongodb = { ...config.mongodb, filterMs: 1 };
    const hasty = await startApi({ ...config, mongodb }, log);
    onTestFinished(() => hasty.stop());
    const at = await sluice.application(token);
    const { batch } = uploadClient(sluice, token);
    for (let i = 0; i < 2; i++)
      await batch(at, ndjson(Array.from({ length: 10_000 }, (_, n) => ({ n, text: 'x'.repeat(100) }))));
    const path = `/api/applications/${at}/data`;
    const filter = encodeURIComponent('{"text":{"gt":"y"},"a.b.c":{"ne":1}}');
    const { status, body } = await call(hasty.url, 'GET', `${path}?filter=${filter}`, { token });
    expect([status, body.error.name]).toEqual([400, 'InvalidRequestError']);
    expect(body.error.message).toBe('the filter took longer than 0.001 s: narrow it with from and to');
    const plain = await call(hasty.url, 'GET', path, { token });
    expect(plain.body.data.pagination.total).toBe(20_000);
  });
});
