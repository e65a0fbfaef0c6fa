import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { type Answer, sharedSluice, startSluice } from '../support/sluice.ts';

const page = 'https://shop.example';
const other = 'https://elsewhere.example';
const operators = 'https://console.example';

const sluice = await sharedSluice();
/** Where CORS_ORIGINS names an origin. */
const named = await startSluice({ workers: false, env: { ...sluice.env, CORS_ORIGINS: operators } });
afterAll(() => named.stop());
const { token } = await sluice.owner();
let domain: string;

const change = (allowed_origins: unknown): Promise<Answer> =>
  sluice.request('PATCH', `/applications/${domain}`, { token, json: { allowed_origins } });

beforeEach(async () => {
  domain = await sluice.application(token);
  expect((await change(['http://localhost:5173', page])).status).toBe(200);
});

const ways: [way: string, status: number][] = [
  ['/data', 201],
  ['/data/batch', 201],
  ['/data/validate', 200],
];

const post = (way: string, origin?: string): Promise<Answer> =>
  sluice.request('POST', `/applications/${domain}${way}`, {
    json: way === '/data' ? { a: 1 } : [{ a: 1 }],
    ...(origin && { headers: { origin } }),
  });

const preflight = (way: string, origin: string, method = 'POST', of = sluice): Promise<Answer> =>
  of.request('OPTIONS', `/applications/${domain}${way}`, {
    headers: { origin, 'access-control-request-method': method },
  });

const allowed = ({ headers }: Answer) => headers.get('access-control-allow-origin');

describe.each(ways)('POST …%s', (way, status) => {
  it('lets pages of an allowed origin upload, and read the answer', async () => {
    const asked = await preflight(way, page);
    expect([asked.status, asked.text, allowed(asked)]).toEqual([204, '', page]);
    expect(asked.headers.get('access-control-allow-methods')).toBe('POST');
    const names = asked.headers.get('access-control-allow-headers')?.toLowerCase().split(', ').sort();
    expect(names).toEqual([
      'authorization',
      'content-encoding',
      'content-type',
      'idempotency-key',
      'sluice-schema-version',
      'x-api-key',
    ]);
    const answer = await post(way, page);
    expect([answer.status, allowed(answer), answer.headers.get('vary')]).toEqual([status, page, 'Origin']);
  });

  it('tells those pages what is wrong, too', async () => {
    const answer = await sluice.request('POST', `/applications/${domain}${way}`, {
      body: 'a',
      headers: { origin: page, 'content-type': 'text/plain' },
    });
    expect([answer.status, allowed(answer)]).toEqual([415, page]);
  });

  it.each([
    other,
    'null',
    `${page}.evil.example`,
    'http://shop.example',
    `${page}:444`,
    'HTTPS://SHOP.EXAMPLE',
  ])('refuses pages of %s', async (origin) => {
    const asked = await preflight(way, origin);
    expect([asked.status, allowed(asked)]).toEqual([403, null]);
    const answer = await post(way, origin);
    expect([answer.status, answer.body.error.name, allowed(answer)]).toEqual([
      403,
      'ForbiddenRequestError',
      null,
    ]);
    expect(answer.body.error.message).toContain('allowed_origins');
  });

  it('takes what no page sends', async () => {
    expect((await post(way)).status).toBe(status);
  });

  it('asks nobody for an origin where none is named, and lets no page read the answer', async () => {
    await change([]);
    const answer = await post(way, other);
    expect([answer.status, allowed(answer)]).toEqual([status, null]);
    expect((await preflight(way, other)).status).toBe(405);
  });
});

it('opens no other method, route or application', async () => {
  const get = await preflight('/data', page, 'GET');
  expect([get.status, allowed(get)]).toEqual([405, null]);
  const listed = await sluice.request('GET', `/applications/${domain}/data`, {
    token,
    headers: { origin: page },
  });
  expect([listed.status, allowed(listed)]).toEqual([200, null]);
  for (const way of ['', '/keys', '/imports', '/exports', '/export']) {
    expect(allowed(await preflight(way, page))).toBeNull();
  }
  const closed = await sluice.application(token);
  const answer = await sluice.request('POST', `/applications/${closed}/data`, {
    json: {},
    headers: { origin: page },
  });
  expect([answer.status, allowed(answer)]).toEqual([201, null]);
});

it('a key is asked for beside the origin', async () => {
  await sluice.request('PATCH', `/applications/${domain}`, { token, json: { key_required: true } });
  const { body } = await sluice.request('POST', `/applications/${domain}/keys`, {
    token,
    json: { name: 'n' },
  });
  const answer = await post('/data', page);
  expect([answer.status, allowed(answer)]).toEqual([403, page]);
  const headers = { origin: page, 'x-api-key': body.data.key };
  expect((await sluice.request('POST', `/applications/${domain}/data`, { json: {}, headers })).status).toBe(
    201,
  );
});

describe('beside CORS_ORIGINS', () => {
  it('adds the origins of the application, for uploads to it alone', async () => {
    const asked = await preflight('/data', page, 'POST', named);
    expect([asked.status, allowed(asked)]).toEqual([204, page]);
    expect(allowed(await preflight('/keys', page, 'POST', named))).toBeNull();
    const operator = await preflight('/keys', operators, 'POST', named);
    expect([operator.status, allowed(operator)]).toEqual([204, operators]);
  });

  it("is the owner's to narrow", async () => {
    expect((await preflight('/data', operators, 'POST', named)).status).toBe(403);
    const open = await sluice.application(token);
    const answer = await named.request('POST', `/applications/${open}/data`, {
      json: {},
      headers: { origin: operators },
    });
    expect([answer.status, allowed(answer)]).toEqual([201, operators]);
  });
});

describe('allowed_origins', () => {
  it.each([
    ['http://localhost:5173'],
    ['http://127.0.0.1:8080'],
    ['http://[::1]:8080'],
    ['https://xn--bcher-kva.example'],
  ])('takes %s', async (origin) => {
    const { status, body } = await change([origin]);
    expect([status, body.data.allowed_origins]).toEqual([200, [origin]]);
  });

  it.each([
    'https://shop.example/',
    'https://shop.example/path',
    'https://shop.example?a',
    'https://user@shop.example',
    'https://shop.example:443',
    'HTTPS://shop.example',
    'https://Shop.example',
    'https://*.example',
    'ftp://shop.example',
    'file:///a',
    'shop.example',
    '*',
    'null',
    '',
    ' https://shop.example',
    5,
  ])('refuses %j', async (origin) => {
    const { status, body } = await change([page, origin]);
    expect([status, body.error.name, body.error.details[0].path]).toEqual([
      400,
      'InvalidRequestError',
      '/allowed_origins/1',
    ]);
  });

  it('has at most 50', async () => {
    const origins = Array.from({ length: 51 }, (_, i) => `https://a${i}.example`);
    expect((await change(origins.slice(1))).status).toBe(200);
    expect((await change(origins)).status).toBe(400);
  });
});
