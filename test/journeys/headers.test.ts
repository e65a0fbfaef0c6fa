import { describe, expect, it } from 'vitest';
import { exportClient } from '../support/export-client.ts';
import { type Call, sharedSluice } from '../support/sluice.ts';

/** Of a finished export. */
const sluice = await sharedSluice();
const { token } = await sluice.owner();
const domain = await sluice.application(token);
await sluice.request('POST', `/applications/${domain}/data`, { json: { a: 1 } });
const exports = exportClient(sluice.url, token);
const job = await exports.create(domain);
await exports.over(domain, job);

const at = (path: string) => path.replace(':domain', domain).replace(':job', job);

describe('private answers', () => {
  it.each([
    ['GET', '/users', 200],
    ['GET', '/users/me', 200],
    ['GET', '/users/me/activity', 200],
    ['GET', '/applications', 200],
    ['GET', '/applications/:domain', 200],
    ['GET', '/applications/:domain/data', 200],
    ['GET', '/applications/:domain/export', 200],
    ['GET', '/applications/:domain/exports', 200],
    ['GET', '/applications/:domain/exports/:job', 200],
    ['GET', '/applications/:domain/exports/:job/events', 200],
    ['GET', '/applications/:domain/imports', 200],
    ['GET', '/applications/no-such-one', 404],
    ['PUT', '/users/nobody', 400],
  ])('%s %s is not to be stored', async (method, path, status) => {
    const answer = await sluice.request(method, at(path), {
      token,
      ...(method === 'PUT' && { json: { x: 1 } }),
    });
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([status, 'no-store']);
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
  });

  it('is not to be stored when a token is missing or wrong', async () => {
    for (const wrong of [undefined, 'x']) {
      const { status, headers } = await sluice.request('GET', '/users/me', { token: wrong });
      expect([status, headers.get('cache-control')]).toEqual([401, 'no-store']);
    }
  });
});

describe('what the framework answers', () => {
  const big = 'x'.repeat(2 * 1024 ** 2);
  it.each<[string, string, string, Call, number]>([
    ['a path that is no URL', 'GET', '/users/%E0%A4%A', {}, 400],
    ['a body that is not JSON', 'POST', '/users/login', { body: '{' }, 400],
    ['an unknown route', 'GET', '/nothing', {}, 404],
    ['another method', 'PUT', '/users', {}, 405],
    ['a method that no route has', 'PROPFIND', '/users', {}, 405],
    ['a body over the limit', 'POST', '/users/login', { json: { username: big, password: '' } }, 413],
    ['another type', 'POST', '/users/login', { body: 'a', headers: { 'content-type': 'text/plain' } }, 415],
  ])('to %s is protected like any answer', async (_what, method, path, options, expected) => {
    const { status, headers } = await sluice.request(method, path, options);
    expect(status).toBe(expected);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('content-security-policy')).toBe("default-src 'none';frame-ancestors 'none'");
    expect(headers.get('cross-origin-resource-policy')).toBe('same-origin');
  });
});

describe('the file of an export', () => {
  const file = (headers: Record<string, string> = {}) =>
    sluice.request('GET', at('/applications/:domain/exports/:job/file'), {
      token,
      headers: { 'accept-encoding': 'identity', ...headers },
    });

  it.each([
    ['of a job', '/applications/:domain/exports/:job/file'],
    ['streamed', '/applications/:domain/export'],
  ])('%s is saved under a safe name, and is what its type says', async (_what, path) => {
    const { status, headers } = await sluice.request('GET', at(path), { token });
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('content-security-policy')).toBe("default-src 'none';frame-ancestors 'none'");
    expect(headers.get('content-disposition')).toMatch(
      /^attachment; filename="[a-z0-9-]+-\d{8}T\d{6}Z\.csv"$/,
    );
  });

  it('may be kept by its owner, who asks each time whether it is the same', async () => {
    const whole = await file();
    expect([whole.status, whole.headers.get('cache-control')]).toEqual([200, 'private, no-cache']);
    const etag = whole.headers.get('etag') as string;
    const same = await file({ 'if-none-match': etag });
    expect([same.status, same.headers.get('cache-control')]).toEqual([304, 'private, no-cache']);
    const range = await file({ range: 'bytes=0-3' });
    expect([range.status, range.headers.get('cache-control')]).toEqual([206, 'private, no-cache']);
  });

  it('leaves no failure behind under its tag', async () => {
    const { status, headers } = await file({ range: 'bytes=999999-' });
    expect([status, headers.get('cache-control')]).toEqual([416, 'no-store']);
  });
});

describe('the page of the docs', () => {
  it('may load what is its own and run no script that is written into it', async () => {
    const { headers, text } = await sluice.request('GET', '/docs/');
    expect(headers.get('content-security-policy')).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self' 'sha256-RL3ie0nH+Lzz2YNqQN83mnU0J1ot4QL7b99vMdIX99w='; " +
        "img-src 'self' data:; connect-src 'self'; " +
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none';",
    );
    expect(text).not.toMatch(/<style|style=|\son\w+=|javascript:/i);
    for (const [, attributes, content] of text.matchAll(/<script([^>]*)>([^<]*)<\/script>/g)) {
      expect(attributes).toMatch(/ src="/);
      expect(content?.trim()).toBe('');
    }
    const needed = [...text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) => path as string);
    expect(needed.length).toBeGreaterThan(4);
    for (const path of needed) {
      const from = new URL(path, `${sluice.url}/api/docs/`);
      expect(from.origin).toBe(sluice.url);
      expect([path, (await fetch(from)).status]).toEqual([path, 200]);
    }
  });
});
