import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type Sluice, startSluice } from '../support/sluice.ts';

let sluice: Sluice;
beforeAll(async () => {
  sluice = await startSluice({ workers: false, env: { REQUEST_TIMEOUT: '1s' } });
});
afterAll(() => sluice.stop());

/** Sends bytes as they are and returns all that comes back until the server closes. */
async function speak(bytes: string): Promise<{ status: number; body: { error: { name: string } } }> {
  const { hostname, port } = new URL(sluice.url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  socket.write(bytes);
  const answer = await text(socket);
  const [head, body] = answer.split('\r\n\r\n') as [string, string];
  return { status: Number(head.split(' ')[1]), body: JSON.parse(body) };
}

describe('what never becomes a request is answered in the envelope', () => {
  it.each([
    ['no HTTP', 'HELLO\r\n\r\n', 400, 'InvalidRequestError'],
    [
      'headers too large',
      `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`,
      431,
      'RequestHeaderFieldsTooLargeError',
    ],
    ['headers that never end', 'GET / HTTP/1.1\r\nHost: a\r\n', 408, 'RequestTimeoutError'],
    [
      'a body that never ends',
      'POST /api/users/login HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{',
      408,
      'RequestTimeoutError',
    ],
  ])('%s', async (_what, bytes, status, name) => {
    const answer = await speak(bytes);
    expect([answer.status, answer.body.error.name]).toEqual([status, name]);
    expect(answer.body).toMatchObject({ success: false, status });
  });
});

it('answers a whole request by itself though nonsense follows it', async () => {
  const { token } = await sluice.owner();
  const domain = await sluice.application(token);
  const head = `POST /api/applications/${domain}/data HTTP/1.1\r\nHost: a\r\nContent-Type: application/json`;
  const answer = await speak(`${head}\r\nContent-Length: 8\r\n\r\n{"p":99}garbage here\r\n\r\n`);
  expect(answer.status).toBe(201);
  const { body } = await sluice.request('GET', `/applications/${domain}/data`, { token });
  expect(body.data.pagination.total).toBe(1);
});

describe('headers', () => {
  it('take over a request id, or make one when it is none', async () => {
    const given = await sluice.request('GET', '/health/live', { headers: { 'x-request-id': 'abc-1' } });
    expect(given.headers.get('x-request-id')).toBe('abc-1');
    const strange = await sluice.request('GET', '/health/live', { headers: { 'x-request-id': 'a b"c' } });
    expect(strange.headers.get('x-request-id')).toMatch(/^[\w-]{13,}$/);
  });

  it('let no other origin in unless it is named', async () => {
    const headers = { origin: 'https://a.example' };
    const closed = await sluice.request('GET', '/health/live', { headers });
    expect(closed.headers.get('access-control-allow-origin')).toBeNull();
    const open = await startSluice({
      workers: false,
      env: { CORS_ORIGINS: 'https://a.example, https://b.example' },
    });
    try {
      const named = await open.request('GET', '/health/live', { headers });
      expect(named.headers.get('access-control-allow-origin')).toBe('https://a.example');
      const other = await open.request('GET', '/health/live', { headers: { origin: 'https://c.example' } });
      expect(other.headers.get('access-control-allow-origin')).not.toBe('https://c.example');
      const preflight = await open.request('OPTIONS', '/applications/any', {
        headers: { ...headers, 'access-control-request-method': 'DELETE' },
      });
      expect(preflight.status).toBe(204);
      const methods = preflight.headers.get('access-control-allow-methods')?.split(/, ?/);
      expect(methods).toEqual(expect.arrayContaining(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']));
      const plain = await open.request('OPTIONS', '/applications/any');
      expect([plain.status, plain.text]).toEqual([204, '']);
    } finally {
      await open.stop();
    }
  });
});

describe('the description of the API', () => {
  it('is OpenAPI 3.1 and names every route of the contract with its answers', async () => {
    const { status, text: json } = await sluice.request('GET', '/openapi.json');
    expect(status).toBe(200);
    const { openapi, paths, components } = JSON.parse(json);
    expect(openapi).toMatch(/^3\.1\./);
    expect(components.securitySchemes.bearer).toMatchObject({ type: 'http', scheme: 'bearer' });
    const routes = Object.entries(paths).flatMap(([path, operations]) =>
      Object.keys(operations as object).map((method) => `${method} ${path}`),
    );
    expect(routes.filter((route) => !route.startsWith('head ')).sort()).toEqual(
      [
        'get /api/users/me/alerts/{domain}',
        'put /api/users/me/email',
        'delete /api/users/me/email',
        'post /api/users/confirm-email',
        'patch /api/users/me/alerts/{domain}',
        'post /api/users/register',
        'post /api/users/login',
        'post /api/session',
        'post /api/session/renew',
        'delete /api/session',
        'get /api/session/providers',
        'get /api/session/oidc',
        'post /api/session/oidc',
        'get /api/session/oidc/callback',
        'get /api/users/me/second-factor',
        'post /api/users/me/second-factor',
        'post /api/users/me/second-factor/confirm',
        'delete /api/users/me/second-factor',
        'get /api/users/me/sessions',
        'delete /api/users/me/sessions',
        'delete /api/users/me/sessions/{id}',
        'get /api/users/me/tokens',
        'post /api/users/me/tokens',
        'delete /api/users/me/tokens/{id}',
        'put /api/users/me/password',
        'put /api/users/{username}/password',
        'get /api/users',
        'get /api/users/me',
        'patch /api/users/me',
        'get /api/users/{username}',
        'patch /api/users/{username}',
        'post /api/applications',
        'get /api/applications',
        'get /api/applications/{domain}',
        'patch /api/applications/{domain}',
        'delete /api/applications/{domain}',
        'post /api/applications/{domain}/data',
        'post /api/applications/{domain}/data/batch',
        'post /api/applications/{domain}/data/validate',
        'post /api/applications/{domain}/data/missing',
        'post /api/applications/{domain}/imports',
        'post /api/applications/{domain}/imports/from-url',
        'post /api/applications/{domain}/import-files',
        'patch /api/applications/{domain}/import-files/{id}',
        'delete /api/applications/{domain}/import-files/{id}',
        'get /api/applications/{domain}/archives',
        'post /api/applications/{domain}/archives',
        'get /api/applications/{domain}/archives/{id}',
        'patch /api/applications/{domain}/archives/{id}',
        'delete /api/applications/{domain}/archives/{id}',
        'post /api/applications/{domain}/archives/{id}/run',
        'post /api/applications/{domain}/archives/{id}/verify',
        'get /api/applications/{domain}/archives/{id}/runs',
        'post /api/applications/{domain}/restore',
        'post /api/schemas/validate',
        'get /api/applications/{domain}/schemas',
        'post /api/applications/{domain}/schemas',
        'get /api/applications/{domain}/schemas/{version}',
        'get /api/applications/{domain}/clients',
        'get /api/applications/{domain}/clients/{language}',
        'post /api/applications/{domain}/rehearsals',
        'get /api/applications/{domain}/refused',
        'delete /api/applications/{domain}/refused',
        'get /api/applications/{domain}/refused/groups',
        'get /api/applications/{domain}/refused/values',
        'patch /api/applications/{domain}/refused/groups',
        'post /api/applications/{domain}/replays',
        'get /api/applications/{domain}/members',
        'put /api/applications/{domain}/members/{username}',
        'delete /api/applications/{domain}/members/{username}',
        'get /api/applications/{domain}/webhooks',
        'post /api/applications/{domain}/webhooks',
        'get /api/applications/{domain}/webhooks/{id}',
        'patch /api/applications/{domain}/webhooks/{id}',
        'delete /api/applications/{domain}/webhooks/{id}',
        'post /api/applications/{domain}/webhooks/{id}/ping',
        'post /api/applications/{domain}/webhooks/{id}/rotate',
        'get /api/applications/{domain}/webhooks/{id}/deliveries',
        'post /api/applications/{domain}/webhooks/{id}/deliveries/{delivery}/redeliver',
        'post /api/applications/{domain}/webhooks/{id}/redeliver',
        'get /api/applications/{domain}/keys',
        'post /api/applications/{domain}/keys',
        'patch /api/applications/{domain}/keys/{id}',
        'post /api/applications/{domain}/keys/{id}/rotate',
        'delete /api/applications/{domain}/keys/{id}',
        ...['exports', 'imports', 'rehearsals'].map(
          (jobs) => `get /api/applications/{domain}/${jobs}/{id}/file`,
        ),
        ...['exports', 'imports', 'rehearsals', 'replays', 'deletions', 'unique', 'verifications'].flatMap(
          (jobs) => [
            `get /api/applications/{domain}/${jobs}`,
            `get /api/applications/{domain}/${jobs}/{id}`,
            `get /api/applications/{domain}/${jobs}/{id}/events`,
            `post /api/applications/{domain}/${jobs}/{id}/retry`,
            `delete /api/applications/{domain}/${jobs}/{id}`,
          ],
        ),
        'get /api/applications/{domain}/data',
        'post /api/applications/{domain}/deletions',
        'get /api/applications/{domain}/erasures',
        'post /api/applications/{domain}/erasures',
        'get /api/applications/{domain}/erasures/{id}',
        'post /api/applications/{domain}/unique',
        'get /api/applications/{domain}/data/live',
        'get /api/applications/{domain}/data/{id}',
        'get /api/applications/{domain}/fields',
        'get /api/applications/{domain}/stats',
        'post /api/applications/{domain}/query',
        'get /api/applications/{domain}/queries',
        'post /api/applications/{domain}/queries',
        'delete /api/applications/{domain}/queries/{id}',
        'get /api/applications/{domain}/views',
        'post /api/applications/{domain}/views',
        'put /api/applications/{domain}/views/{id}',
        'delete /api/applications/{domain}/views/{id}',
        'delete /api/applications/{domain}/data/{id}',
        'get /api/applications/{domain}/export',
        'post /api/applications/{domain}/exports',
        'get /api/users/me/activity',
        'get /api/applications/{domain}/activity',
        'get /api/health/live',
        'get /api/health/ready',
      ].sort(),
    );
    for (const operations of Object.values(paths)) {
      for (const operation of Object.values(operations as Record<string, { responses: object }>)) {
        expect(Object.keys(operation.responses).length).toBeGreaterThan(0);
      }
    }
  });

  it('is written as JSON once, however often it is asked for', async () => {
    const written = vi.spyOn(JSON, 'stringify');
    onTestFinished(() => written.mockRestore());
    const paths = ['/openapi.json', '/docs/json', '/openapi.json', '/docs/json'];
    const answers = await Promise.all(paths.map((path) => sluice.request('GET', path)));
    const [first] = answers;
    expect(first?.body.openapi).toMatch(/^3/);
    for (const { text: same, headers } of answers) {
      expect(same).toBe(first?.text);
      expect(headers.get('content-length')).toBe(String(Buffer.byteLength(same)));
    }
    const calls = written.mock.calls.filter(([value]) => (value as { openapi?: string } | null)?.openapi);
    expect(calls.length).toBeLessThanOrEqual(1);
  });

  it('has a page that may run its own scripts and no others, also over plain HTTP', async () => {
    const { status, headers, text: html } = await sluice.request('GET', '/docs/');
    expect([status, headers.get('content-type')]).toEqual([200, expect.stringContaining('text/html')]);
    const policy = headers.get('content-security-policy') as string;
    expect(policy).toMatch(/script-src 'self'/);
    expect(policy).not.toMatch(/upgrade-insecure-requests|unsafe-eval/);
    for (const [, source] of html.matchAll(/<script[^>]* src="([^"]+)"/g)) {
      const script = await fetch(new URL(source as string, `${sluice.url}/api/docs/`));
      expect([source, script.status]).toEqual([source, 200]);
    }
  });
});
