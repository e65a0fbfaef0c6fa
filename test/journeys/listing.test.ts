import { describe, expect, it } from 'vitest';
import { sharedSluice, until } from '../support/sluice.ts';

const total = 25;
/** Newest first, as the API listed them once. */
let all: { payload: { n: number }; createdAt: string }[];

const list = async (query = '', at = domain) =>
  (await sluice.request('GET', `/applications/${at}/data${query}`, { token })).body.data;
const numbers = (page: { result: typeof all }) => page.result.map(({ payload }) => payload.n);

const sluice = await sharedSluice();
const { token } = await sluice.owner();
const domain = await sluice.application(token);
for (let n = 0; n < total; n++) await sluice.request('POST', `/applications/${domain}/data`, { json: { n } });
all = (await list()).result;

describe('listing', () => {
  it('is newest first', () => {
    expect(all.map(({ payload }) => payload.n)).toEqual(
      Array.from({ length: total }, (_, i) => total - 1 - i),
    );
  });

  it.each([
    [0, 10, { current: 0, previous: 0, next: 10, isLast: false }, 10],
    [10, 10, { current: 10, previous: 0, next: 20, isLast: false }, 10],
    [20, 10, { current: 20, previous: 10, next: 20, isLast: true }, 5],
    [15, 10, { current: 15, previous: 5, next: 15, isLast: true }, 10],
    [3, 5, { current: 3, previous: 0, next: 8, isLast: false }, 5],
    [25, 10, { current: 25, previous: 15, next: 25, isLast: true }, 0],
    [1_000, 10, { current: 1_000, previous: 990, next: 1_000, isLast: true }, 0],
    [0, 25, { current: 0, previous: 0, next: 0, isLast: true }, 25],
    [0, 1_000, { current: 0, previous: 0, next: 0, isLast: true }, 25],
  ])('start=%i limit=%i', async (start, limit, pagination, length) => {
    const page = await list(`?start=${start}&limit=${limit}`);
    expect(page.pagination).toMatchObject({ ...pagination, limit, total });
    expect(numbers(page)).toEqual(all.slice(start, start + limit).map(({ payload }) => payload.n));
    expect(page.result).toHaveLength(length);
  });

  it('begins at 0 with 100 a page when nothing is said', async () => {
    expect((await list()).pagination).toMatchObject({ limit: 100, current: 0 });
  });

  it('says how many large entries fit into a page, and then gives so many', async () => {
    const at = await sluice.application(token);
    const body = (n: number) => ({ n, items: Array(130_000).fill({}) });
    for (let n = 0; n < 12; n++)
      expect((await sluice.request('POST', `/applications/${at}/data`, { json: body(n) })).status).toBe(201);
    const refused = await sluice.request('GET', `/applications/${at}/data`, { token });
    expect([refused.status, refused.body.error.message]).toEqual([
      400,
      expect.stringMatching(/^these entries are too large for one page: take limit=\d+$/),
    ]);
    const limit = Number(/\d+$/.exec(refused.body.error.message)?.[0]);
    expect(limit).toBeGreaterThan(1);
    const seen: number[] = [];
    for (let start = 0; ; ) {
      const { result, pagination } = await list(`?limit=${limit}&start=${start}`, at);
      seen.push(...numbers({ result }));
      if (pagination.isLast) break;
      start = pagination.next;
    }
    expect(seen).toEqual(Array.from({ length: 12 }, (_, i) => 11 - i));
    expect((await list(`?limit=${limit}&start=${12 - limit}`, at)).result).toHaveLength(limit);
    const more = await sluice.request('GET', `/applications/${at}/data?limit=${limit + 1}`, { token });
    expect(more.status).toBe(400);
    expect((await list('?limit=1', at)).result).toHaveLength(1);
  });

  it('walks all entries once by cursor, while new ones arrive', async () => {
    const at = await sluice.application(token);
    const post = (n: number) => sluice.request('POST', `/applications/${at}/data`, { json: { n } });
    for (let n = 0; n < 12; n++) await post(n);
    const seen: number[] = [];
    let page = await list('?limit=5', at);
    seen.push(...numbers(page));
    for (let extra = 100; page.pagination.cursor; extra++) {
      await post(extra);
      page = await list(`?limit=5&after=${page.pagination.cursor}`, at);
      seen.push(...numbers(page));
    }
    expect(seen).toEqual(Array.from({ length: 12 }, (_, i) => 11 - i));
  });

  it('goes forward by cursor, and comes back with it for what is new', async () => {
    const at = await sluice.application(token);
    const post = (n: number) => sluice.request('POST', `/applications/${at}/data`, { json: { n } });
    const seen: number[] = [];
    let page = await list('?order=oldest', at);
    const untilSeen = (count: number) =>
      until(async () => {
        page = await list(`?order=oldest&limit=5&after=${page.pagination.cursor}`, at);
        seen.push(...numbers(page));
        return seen.length >= count;
      });
    expect(page).toMatchObject({ result: [], pagination: { total: 0, isLast: true } });
    for (let n = 0; n < 12; n++) await post(n);
    await untilSeen(12);
    await post(12);
    await untilSeen(13);
    expect(seen).toEqual(Array.from({ length: 13 }, (_, n) => n));
    expect(page.pagination).toMatchObject({ total: 13, isLast: true, cursor: expect.any(String) });
  });

  it.each([
    [0, 10, { previous: 0, next: 10, isLast: false }],
    [20, 10, { previous: 10, next: 20, isLast: true }],
  ])('order=oldest start=%i limit=%i', async (start, limit, pagination) => {
    await until(async () => (await list(`?order=oldest&start=${total - 1}`)).result.length === 1);
    const page = await list(`?order=oldest&start=${start}&limit=${limit}`);
    expect(page.pagination).toMatchObject({ ...pagination, current: start, limit, total });
    expect(page.result).toEqual(all.toReversed().slice(start, start + limit));
  });

  it('includes `from`, excludes `to`, and counts what they leave', async () => {
    const [from, to] = [all[20]?.createdAt as string, all[4]?.createdAt as string];
    const expected = all.filter(({ createdAt }) => createdAt >= from && createdAt < to);
    const page = await list(`?from=${from}&to=${to}&limit=3`);
    expect(page.pagination.total).toBe(expected.length);
    expect(numbers(page)).toEqual(expected.slice(0, 3).map(({ payload }) => payload.n));
  });

  it('reads a time with an offset as the same instant', async () => {
    const instant = new Date(Date.parse(all[10]?.createdAt as string));
    const shifted = `${new Date(instant.getTime() + 2 * 3_600_000).toISOString().slice(0, -1)}%2B02:00`;
    expect((await list(`?from=${shifted}`)).pagination.total).toBe(
      (await list(`?from=${instant.toISOString()}`)).pagination.total,
    );
  });

  it('answers HEAD like GET without a body', async () => {
    const head = await sluice.request('HEAD', `/applications/${domain}/data`, { token });
    const get = await sluice.request('GET', `/applications/${domain}/data`, { token });
    expect([head.status, head.text, head.headers.get('content-length')]).toEqual([
      200,
      '',
      get.headers.get('content-length'),
    ]);
  });

  it('keeps applications apart', async () => {
    const other = await sluice.application(token);
    expect((await list('', other)).pagination).toMatchObject({ total: 0, isLast: true, current: 0, next: 0 });
  });
});
