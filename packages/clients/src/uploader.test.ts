import { readdirSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { tempDir } from '../../../test/support/local/temp-dir.ts';
import { type BadAnswer, failure, page, startBadProxy, stored } from '../../../test/uploaders/bad-proxy.ts';

/** The type check of this project has no types of browsers, which the template uses. */
const { NotStored, Uploader } = await import(
  join(import.meta.dirname, '../uploaders/typescript/uploader.ts')
);

const entry = { n: 1, text: '' };
const domain = 'sample-k3v9q2';

function silence(method: 'warn' | 'error') {
  const spy = vi.spyOn(console, method).mockImplementation(() => {});
  onTestFinished(() => spy.mockRestore());
  return spy;
}

it('fails in all calls with the status, the reason and the number of entries, and tells of no refusal', async () => {
  const warnings = silence('warn');
  const { url, requests } = await startBadProxy(failure(401, 'UnauthorizedRequestError'));
  const onRefused = vi.fn();
  const uploader = new Uploader({ baseUrl: url, domain, onRefused });
  await uploader.send(entry);
  for (const call of [() => uploader.flush(), () => uploader.send(entry), () => uploader.close()]) {
    const error = await call().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(NotStored);
    expect(error).toMatchObject({ entries: 1, status: 401, reason: 'UnauthorizedRequestError' });
  }
  expect([requests.length, warnings.mock.calls.length]).toEqual([1, 1]);
  expect(onRefused).not.toHaveBeenCalled();
});

it('sends a batch once although the callback fails that it calls about the schema', async () => {
  const errors = silence('error');
  const newer: BadAnswer = (response) => {
    response.setHeader('sluice-schema-version', '2').setHeader('sluice-schema-change', 'stricter');
    stored(response);
  };
  const { url, requests } = await startBadProxy(newer);
  const uploader = new Uploader({
    baseUrl: url,
    domain,
    onStale() {
      throw new Error('a callback that fails');
    },
  });
  await uploader.send(entry);
  await uploader.close();
  expect([requests.length, errors.mock.calls.length]).toEqual([1, 1]);
});

it.each([
  [[], 'an array'],
  ['{}', 'a string'],
  [1, 'a number'],
  [1n, 'a number'],
  [true, 'a boolean'],
  [null, 'null'],
  [undefined, 'undefined'],
  [() => {}, 'a function'],
  [Symbol('x'), 'a symbol'],
  [{ toJSON: () => [] }, 'an array'],
  [new Date(0), 'a string'],
])('does not take %o', async (given, kind) => {
  const uploader = new Uploader({ baseUrl: 'http://127.0.0.1:9', domain });
  await expect(uploader.send(given)).rejects.toThrow(new TypeError(`an entry is a JSON object, not ${kind}`));
  expect(uploader.counts).toEqual({ stored: 0, refused: 0, waiting: 0 });
});

it.each([
  [{ x: [Number.NaN] }, /^an entry cannot hold NaN or Infinity$/],
  [{ x: -Infinity, y: 1n }, /^an entry cannot hold NaN or Infinity$/],
  [{ x: new Date('no') }, /^an entry that JSON cannot write: Invalid Date$/],
  [circle(), /^an entry that JSON cannot write: Converting circular structure to JSON$/],
])('does not take an entry that JSON cannot hold: %o', async (given, message) => {
  const uploader = new Uploader({ baseUrl: 'http://127.0.0.1:9', domain });
  await expect(uploader.send(given)).rejects.toThrow(message);
});

function circle() {
  const self: { self?: unknown } = {};
  self.self = self;
  return self;
}

it.each([
  [
    { baseUrl: 'localhost:4340', domain },
    'base URL: "localhost:4340" does not begin with http:// or https://',
  ],
  [{ baseUrl: 'http://x' }, 'domain: an application is needed, such as weather-station-k3v9q2'],
])('is not made with %o', (options, message) => {
  expect(() => new Uploader(options)).toThrow(new TypeError(message));
});

it('writes the digits of a bigint, and reads them of a refused entry', async () => {
  const line =
    '{"big":-9007199254740993,"same":9007199254740992,"text":"\\"9007199254740993","list":[1.5e3,18446744073709551615]}';
  const refusal = { line: 1, name: 'SchemaValidationError', message: 'no', details: [] };
  const { url, requests } = await startBadProxy((response) =>
    response.writeHead(422).end(JSON.stringify({ error: { ...refusal, details: [refusal] } })),
  );
  const onRefused = vi.fn();
  const uploader = new Uploader({ baseUrl: url, domain, onRefused });
  const sent = {
    big: -9007199254740993n,
    same: 9007199254740992,
    text: '"9007199254740993',
    list: [1500, 18446744073709551615n],
  };
  await uploader.send(sent);
  await uploader.close();
  expect(requests[0]?.body).toBe(`${line.replace('1.5e3', '1500')}\n`);
  expect(onRefused.mock.calls).toEqual([[{ ...refusal, entry: sent }]]);
  expect(uploader.counts).toEqual({ stored: 0, refused: 1, waiting: 0 });
});

it.each([
  [true, 100, 'gzip'],
  [true, 10, undefined],
  [false, 100, undefined],
])('with gzip %s, a body of %i entries has the encoding %s', async (gzip, count, encoding) => {
  const encodings: unknown[] = [];
  const { url, requests } = await startBadProxy(stored);
  const uploader = new Uploader({
    baseUrl: url,
    domain,
    gzip,
    fetch: (input: string, init: RequestInit & { headers: Record<string, string> }) => {
      encodings.push(init.headers['content-encoding']);
      return fetch(input, init);
    },
  });
  for (let n = 0; n < count; n++) await uploader.send({ n, text: 'x' });
  expect(uploader.counts).toEqual({ stored: 0, refused: 0, waiting: count });
  await uploader.close();
  expect(encodings).toEqual([encoding]);
  expect(requests[0]?.body.split('\n').length).toBe(count + 1);
  expect(uploader.counts).toEqual({ stored: count, refused: 0, waiting: 0 });
});

it.each([
  ['answered', stored],
  ['tried again', page(503, { 'retry-after': '0' })],
])('fails if a batch leaves the spool before it is %s', async (_, answer) => {
  silence('warn');
  const spool = tempDir();
  const { url } = await startBadProxy((response) => {
    for (const name of readdirSync(spool)) if (name.endsWith('.ndjson')) unlinkSync(join(spool, name));
    answer(response);
  });
  const uploader = new Uploader({ baseUrl: url, domain, spool });
  await uploader.send(entry);
  await expect(uploader.close()).rejects.toThrow(/^1 entries are not stored.*ENOENT/);
});
