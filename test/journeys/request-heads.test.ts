import { describe, expect, it } from 'vitest';
import { speak } from '../support/raw-connection.ts';
import { chunked } from '../support/raw-exchange.ts';
import { sharedSluice } from '../support/sluice.ts';
import { uploadClient } from '../support/upload-client.ts';

const sluice = await sharedSluice();
const { token } = await sluice.owner();
const client = uploadClient(sluice, token);
const domain = await sluice.application(token);

const host = 'Host: a';
const json = 'Content-Type: application/json';
const length = (body: string) => `Content-Length: ${Buffer.byteLength(body)}`;
const inChunks = 'Transfer-Encoding: chunked';
const wholeBody = chunked('{"n":1}') + chunked('');

/** An upload that is whole and would be taken, but for its head. */
const upload = (headers: string[], body = '{"n":1}', { version = '1.1', query = '' } = {}) =>
  [`POST /api/applications/${domain}/data${query} HTTP/${version}`, json, ...headers, '', body].join('\r\n');

type Row = [what: string, bytes: () => string, status: number, name: string, message: RegExp];

describe('a request whose head is not as it should be is refused in the envelope, and nothing is stored', () => {
  const many = Array.from({ length: 98 }, (_, n) => `X-${n}: 1`);
  const plain = [host, length('{"n":1}')];
  // biome-ignore format: a table, a row a line
  it.each<Row>([
    ['gzip, then chunked', () => upload([host, 'Transfer-Encoding: gzip, chunked'], wholeBody), 400, 'InvalidRequestError', /Transfer-Encoding is chunked/],
    ['chunked twice', () => upload([host, 'Transfer-Encoding: chunked, chunked'], wholeBody), 400, 'InvalidRequestError', /./],
    ['two codings in two headers', () => upload([host, 'Transfer-Encoding: gzip', inChunks], wholeBody), 400, 'InvalidRequestError', /./],
    ['chunked in HTTP/1.0', () => upload([host, inChunks], wholeBody, { version: '1.0' }), 400, 'InvalidRequestError', /HTTP\/1\.1/],
    ['an expectation that nobody knows', () => upload([...plain, 'Expect: foo']), 417, 'ExpectationFailedError', /100-continue/],
    ['a known expectation and another', () => upload([...plain, 'Expect: 100-continue, foo']), 417, 'ExpectationFailedError', /100-continue/],
    ['no host', () => upload([length('{"n":1}')]), 400, 'InvalidRequestError', /Host is missing/],
    ['two hosts', () => upload([...plain, 'hOST: b']), 400, 'InvalidRequestError', /Host is there twice/],
    ['a host that is none', () => upload(['Host: a b', length('{"n":1}')]), 400, 'InvalidRequestError', /Host is not a host/],
    ['HTTP/2.0', () => upload(plain, undefined, { version: '2.0' }), 400, 'InvalidRequestError', /only HTTP\/1\.1/],
    ['101 headers', () => upload([...plain, ...many]), 431, 'RequestHeaderFieldsTooLargeError', /limit of 100$/],
    ['headers over 16 KiB', () => upload([...plain, `X: ${'x'.repeat(16 * 1024)}`]), 431, 'RequestHeaderFieldsTooLargeError', /limit of 16384 bytes/],
    ['a URL over 16 KiB', () => upload(plain, undefined, { query: `?${'x'.repeat(16 * 1024)}` }), 431, 'RequestHeaderFieldsTooLargeError', /URL.*limit of 16384 bytes/],
    ['chunk extensions over 16 KiB', () => upload([host, inChunks], `7;${'x'.repeat(20_000)}\r\n{"n":1}\r\n0\r\n\r\n`), 413, 'PayloadTooLargeError', /extensions/],
    ['CONNECT', () => 'CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n', 400, 'InvalidRequestError', /CONNECT/],
  ])('%s', async (_what, bytes, status, name, message) => {
    const answers = await speak(sluice.url, bytes());
    expect(answers).toHaveLength(1);
    expect(answers[0]).toMatchObject({ status, body: { success: false, status, error: { name } } });
    expect(answers[0]?.body.error.message).toMatch(message);
    expect(await client.count(domain)).toBe(0);
  });

  it('an unknown query of a route that has none', async () => {
    for (const [method, path] of [
      ['POST', `/applications/${domain}/data?foo=1&bar`],
      ['GET', '/users/me?foo=1&bar'],
    ] as const) {
      const { status, body } = await sluice.request(method, path, {
        token,
        ...(method === 'POST' && { json: {} }),
      });
      expect([status, body.error.name, body.error.message]).toEqual([
        400,
        'InvalidRequestError',
        'unknown parameter `foo`; this route takes none; unknown parameter `bar`; this route takes none',
      ]);
    }
    expect((await sluice.request('POST', `/applications/${domain}/data?`, { body: '[]' })).status).toBe(422);
  });

  it('a method that no route has', async () => {
    const [answer] = await speak(
      sluice.url,
      `TRACE /api/applications/${domain}/data HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`,
    );
    expect([answer?.status, answer?.headers.get('allow')]).toEqual([405, 'GET, HEAD, POST']);
    const [nowhere] = await speak(
      sluice.url,
      'TRACE /api/x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
    );
    expect(nowhere?.status).toBe(404);
  });
});

describe('a request is taken', () => {
  const many = Array.from({ length: 96 }, (_, n) => `X-${n}: 1`);
  it.each([
    ['with 100 headers', () => [host, length('{}'), ...many, 'Connection: close'], '1.1'],
    ['whose host is empty', () => ['Host:', length('{}'), 'Connection: close'], '1.1'],
    ['whose host is an IPv6 address', () => ['Host: [::1]:4000', length('{}'), 'Connection: close'], '1.1'],
    ['without a host in HTTP/1.0', () => [length('{}')], '1.0'],
  ])('%s', async (_what, headers, version) => {
    const own = await sluice.application(token);
    const [answer, ...more] = await speak(
      sluice.url,
      upload(headers(), '{}', { version }).replace(domain, own),
    );
    expect([answer?.status, more]).toEqual([201, []]);
    expect(await client.count(own)).toBe(1);
  });
});

describe('a request that ends its connection', () => {
  it.each([
    ['1.1', 'close'],
    ['1.1', 'keep-alive, close'],
    ['1.0', 'keep-alive, close'],
    ['1.0', 'x, Close ,keep-alive'],
    ['1.0', 'x-close'],
  ])('is the last in HTTP/%s with Connection: %s', async (version, connection) => {
    const own = await sluice.application(token);
    const headers = [host, length('{"n":1}'), `Connection: ${connection}`];
    const one = upload(headers, undefined, { version }).replace(domain, own);
    const answers = await speak(sluice.url, one + one);
    expect(answers.map(({ status }) => status)).toEqual([201]);
    expect(await client.count(own)).toBe(1);
  });

  it('has one behind it where it does not', async () => {
    const own = await sluice.application(token);
    const of = (connection: string) =>
      upload([host, length('{"n":1}'), `Connection: ${connection}`], undefined, { version: '1.0' });
    const both = of('keep-alive, x-close') + of('close');
    const answers = await speak(sluice.url, both.replaceAll(domain, own));
    expect(answers.map(({ status }) => status)).toEqual([201, 201]);
  });
});

describe('Expect: 100-continue', () => {
  const asking = ['Expect: 100-continue', host, 'Connection: close'];

  it('is met where the body is wanted', async () => {
    const own = await sluice.application(token);
    const head = upload([...asking, length('{"n":1}')], '').replace(domain, own);
    const answers = await speak(sluice.url, head, '{"n":1}');
    expect(answers.map(({ status }) => status)).toEqual([100, 201]);
    expect(await client.count(own)).toBe(1);
  });

  // biome-ignore format: a table, a row a line
  it.each([
    ['a length over the limit', (to: string) => [`POST ${to}/data`, 'Content-Length: 1048577'], 413],
    ['a batch over the limit', (to: string) => [`POST ${to}/data/batch`, 'Content-Length: 99999999'], 413],
    ['an import over the limit', (to: string) => [`POST ${to}/imports`, `Authorization: Bearer ${token}`, 'Content-Length: 99999999999'], 413],
    ['no token', (to: string) => [`POST ${to}/imports`, 'Content-Length: 10'], 401],
    ['another type', (to: string) => [`POST ${to}/data`, 'Content-Type: text/plain', 'Content-Length: 10'], 415],
  ])('is not met for %s', async (_what, head, status) => {
    const [start, ...headers] = head(`/api/applications/${domain}`);
    const type = headers.some((header) => header.startsWith('Content-Type')) ? [] : [json];
    const answers = await speak(
      sluice.url,
      [`${start} HTTP/1.1`, 'Expect: 100-continue', host, ...type, ...headers, '', ''].join('\r\n'),
    );
    expect(answers.map((answer) => answer.status)).toEqual([status]);
  });
});

it('the description of the API has what any request can be answered with', async () => {
  const { paths, components } = JSON.parse((await sluice.request('GET', '/openapi.json')).text);
  for (const operations of Object.values<Record<string, { responses: object }>>(paths))
    for (const { responses } of Object.values(operations))
      expect(Object.keys(responses)).toEqual(expect.arrayContaining(['400', '408', '417', '431']));
  expect(paths['/api/users/login'].post.responses['413'].$ref).toBe('#/components/responses/PayloadTooLarge');
  expect(components.responses.ExpectationFailed.description).toMatch(/ExpectationFailedError/);
});
