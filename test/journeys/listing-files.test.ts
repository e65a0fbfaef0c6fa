import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { capacities } from '@sluice/api/limits/table.ts';
import { startApi } from '@sluice/api/start.ts';
import { loadApiConfig } from '@sluice/shared/config/load.ts';
import { createLogger } from '@sluice/shared/logger.ts';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { quickApiTimings } from '../support/quick-timings.ts';
import { call, startSluice, until } from '../support/sluice.ts';
import { ndjson } from '../support/upload-client.ts';

const sluice = await startSluice({ questions: true });
afterAll(() => sluice.stop());
const log = createLogger('test', { level: 'silent', pretty: false });

/** An API that asks a query worker first. `filterMs`: how long MongoDB may take for a filter. */
async function startOwn(env: Record<string, string>, filterMs?: number) {
  const config = loadApiConfig({ ...sluice.env, ...env });
  const mongodb = { ...config.mongodb, ...(filterMs && { filterMs }) };
  const api = await startApi({ ...config, mongodb }, log, undefined, { ...quickApiTimings, fewEntries: 0 });
  onTestFinished(() => api.stop());
  await until(async () => (await call(api.url, 'GET', '/api/health/ready')).status === 200);
  return api.url;
}

async function application() {
  const { token } = await sluice.owner();
  const domain = await sluice.application(token, {
    type: 'object',
    properties: { n: { type: 'integer' }, even: { type: 'boolean' } },
  });
  const path = `/api/applications/${domain}`;
  const upload = async (from: number, count: number, key?: string) => {
    const entries = Array.from({ length: count }, (_, at) => from + at);
    const body = ndjson(entries.map((n) => ({ n, even: n % 2 === 0, text: 'x'.repeat(100) })));
    const headers = { 'content-type': 'application/x-ndjson' };
    const answer = await call(sluice.url, 'POST', `${path}/data/batch`, {
      token: key ?? token,
      body,
      headers,
    });
    expect(answer.status).toBe(201);
  };
  return { token, path, upload };
}

describe('with a query worker', () => {
  it('sorts all entries, or those of a filter, by a field', async () => {
    const { token, path, upload } = await application();
    await upload(0, 30);
    await call(sluice.url, 'POST', `${path}/data`, { token, json: { text: 'alone' } });
    const get = async (query: string) => {
      const { status, body, headers } = await call(sluice.url, 'GET', `${path}/data?${query}`, { token });
      expect({ status, body }).toMatchObject({ status: 200 });
      expect(Date.parse(headers.get('sluice-as-of') as string)).toBeGreaterThan(0);
      const { result, pagination } = body.data;
      return {
        numbers: result.map(({ payload }: { payload: { n?: number } }) => payload.n),
        ...pagination,
      };
    };
    const first = await get('sort=-n&limit=3');
    expect(first).toMatchObject({ numbers: [29, 28, 27], total: 31, next: 3, isLast: false });
    expect(first.cursor).toBeUndefined();
    expect(await get('sort=n&limit=3&start=28')).toMatchObject({
      numbers: [28, 29, undefined],
      previous: 25,
      isLast: true,
    });
    const odd = `filter=${encodeURIComponent('{"even":false}')}`;
    expect(await get(`sort=/n&limit=2&${odd}`)).toMatchObject({ numbers: [1, 3], total: 15, isLast: false });
    expect(await get('sort=n&start=99')).toMatchObject({ numbers: [], total: 31, isLast: true });
  });

  it.each([
    ['sort=createdAt', 'is the time of the entry: use `order`'],
    ['sort=-', 'names no field'],
    ['sort=a%00b', 'NUL'],
    ['sort=n&order=oldest', 'leave out `order`'],
    ['sort=n&after=AaIFlQ9P0TEyyAAAAAI', 'use `start`'],
    ['sort=n&start=9950', 'the first 10,000 entries'],
  ])('refuses %s', async (query, said) => {
    const { token, path } = await application();
    const { status, body } = await call(sluice.url, 'GET', `${path}/data?${query}`, { token });
    expect(status).toBe(400);
    expect(body.error.message).toContain(said);
    expect(body.error.details).toMatchObject([{ in: 'querystring', path: '/sort' }]);
  });

  it('lists and counts by a filter whatever MongoDB would take, up to the newest entry', async () => {
    const url = await startOwn({}, 1);
    const { token, path, upload } = await application();
    const get = async (query: string) => {
      const { status, body } = await call(url, 'GET', `${path}/data?${query}`, { token });
      expect(status).toBe(200);
      const { result, pagination } = body.data;
      return {
        numbers: result.map(({ payload }: { payload: { n: number } }) => payload.n),
        ids: result.map(({ id }: { id: string }) => id),
        ...pagination,
      };
    };
    await upload(0, 10_000);
    await upload(10_000, 10_000);
    const odd = `filter=${encodeURIComponent('{"even":false}')}`;
    await until(async () => (await call(url, 'GET', `${path}/data?${odd}`, { token })).status === 200);
    const first = await get(`${odd}&limit=3`);
    expect(first).toMatchObject({ numbers: [19_999, 19_997, 19_995], total: 10_000, isLast: false, next: 3 });

    // What came, and what went, since the files were made.
    const { key } = (await call(sluice.url, 'POST', `${path}/keys`, { token, json: { name: 'k' } })).body
      .data;
    const { id } = (await call(sluice.url, 'GET', `${path}/keys`, { token })).body.data[0];
    await upload(20_000, 10, key);
    expect((await call(url, 'DELETE', `${path}/data/${first.ids[1]}`, { token })).status).toBe(200);
    const now = await get(`${odd}&limit=8`);
    expect(now.numbers).toEqual([20_009, 20_007, 20_005, 20_003, 20_001, 19_999, 19_995, 19_993]);
    expect(now).toMatchObject({ total: 10_004, isLast: false });
    const next = await get(`${odd}&limit=2&after=${now.cursor}`);
    expect(next).toMatchObject({ numbers: [19_991, 19_989], total: 10_004 });
    expect(await get(`${odd}&limit=2&start=10002`)).toMatchObject({ numbers: [3, 1], isLast: true });
    expect(await get(`${odd}&order=oldest&limit=2`)).toMatchObject({ numbers: [1, 3], total: 10_004 });
    expect(await get(`key=${id}&limit=1`)).toMatchObject({ numbers: [20_009], total: 10 });
    // Only the payloads have this field.
    const text = `filter=${encodeURIComponent('{"text":{"contains":"X"}}')}`;
    expect(await get(`${text}&limit=1`)).toMatchObject({ numbers: [20_009], total: 20_009 });
    const dry = await call(url, 'POST', `${path}/deletions?dry_run=true`, {
      token,
      json: { filter: { n: { gte: 19_990 } } },
    });
    expect(dry.body.data).toEqual({ count: 19 });
  });
});

/** The address of a query worker that answers so; undefined: of none. */
async function workerThat(listener: RequestListener | undefined): Promise<string> {
  const worker = createServer(listener).listen(0, '127.0.0.1');
  onTestFinished(() => void worker.close());
  await once(worker, 'listening');
  const { port } = worker.address() as AddressInfo;
  if (!listener) worker.close();
  return `http://127.0.0.1:${port}`;
}

describe('a query worker that does not answer', () => {
  it('delays the lists of nobody else', async () => {
    const { token, path, upload } = await application();
    await upload(0, 10);
    const { promise, resolve: areAsked } = Promise.withResolvers<void>();
    let asked = 0;
    const QUERY_URL = await workerThat(() => {
      asked += 1;
      if (asked === capacities.pageReads.limit) areAsked();
    });
    const url = await startOwn({ QUERY_URL });
    const gone = new AbortController();
    const headers = { authorization: `Bearer ${token}` };
    const query = `${path}/data?filter=${encodeURIComponent('{"n":{"lt":7}}')}`;
    const pages = Array.from({ length: capacities.pageReads.limit }, () =>
      fetch(`${url}${query}`, { headers, signal: gone.signal }),
    );
    const ended = Promise.allSettled(pages);
    await promise;
    const other = await application();
    expect((await call(url, 'GET', `${other.path}/data`, { token: other.token })).status).toBe(200);
    gone.abort();
    await ended;
  });

  it.each<[string, RequestListener | undefined, number]>([
    ['as it is away', undefined, 503],
    ['as it prepares', (_request, response) => void response.writeHead(503).end('{"message":"later"}'), 503],
    ['as it is busy', (_request, response) => void response.writeHead(429).end('{"message":"busy"}'), 429],
    ['as it refuses', (_request, response) => void response.writeHead(400).end('{"message":"no"}'), 400],
  ])(
    '%s leaves the filter to MongoDB, and its reason where MongoDB is too slow',
    async (_why, listener, status) => {
      const { token, path, upload } = await application();
      await upload(0, 10_000);
      const QUERY_URL = await workerThat(listener);
      const query = `${path}/data?filter=${encodeURIComponent('{"n":{"lt":7}}')}`;
      const usual = await call(await startOwn({ QUERY_URL }), 'GET', query, { token });
      expect(usual.body.data.pagination.total).toBe(7);
      const hasty = await call(await startOwn({ QUERY_URL }, 1), 'GET', query, { token });
      expect([hasty.status, hasty.headers.has('retry-after')]).toEqual([status, status !== 400]);
      if (status === 400) expect(hasty.body.error.message).toContain('narrow it with from and to');
    },
  );
});
