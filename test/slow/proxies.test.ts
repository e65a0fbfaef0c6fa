import { randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { request as httpsRequest } from 'node:https';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type FrontProxy, frontCertificate, isInstalled, startFrontProxy } from '../support/front-proxies.ts';
import { follow } from '../support/live-client.ts';
import { call, type Sluice, startSluice, until } from '../support/sluice.ts';
import { commandLine } from '../support/sluice-command.ts';

/** Of an import: `IMPORT_MB=1024` is a gigabyte. */
const importMb = Number(process.env.IMPORT_MB ?? 72);
const lineBytes = 4096;
const METRICS_TOKEN = 'a-token-of-this-test';
const schema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };

const trusted = getCACertificates('default');
let sluice: Sluice;
beforeAll(async () => {
  setDefaultCACertificates([...trusted, frontCertificate]);
  sluice = await startSluice({ env: { TRUST_PROXY: '1', METRICS_TOKEN } });
});
afterAll(async () => {
  setDefaultCACertificates(trusted);
  await sluice.stop();
});

/** NDJSON in pieces of a megabyte, most of it white space, which costs Sluice little. */
function* numbered(megabytes: number): Generator<string> {
  const perPiece = 1024 ** 2 / lineBytes;
  for (let n = 0; n < megabytes * perPiece; n += perPiece) {
    const lines = Array.from({ length: perPiece }, (_, i) => {
      const json = `{"n":${n + i},"text":"${randomBytes(240).toString('hex')}"}`;
      return `${json.padEnd(lineBytes - 1)}\n`;
    });
    yield lines.join('');
  }
}
const linesOf = (megabytes: number) => (megabytes * 1024 ** 2) / lineBytes;

describe.each<FrontProxy>(['nginx', 'caddy'])('%s with the snippet of docs/tls.md', (name) => {
  const isThere = isInstalled(name);
  let front: Awaited<ReturnType<typeof startFrontProxy>>;
  let token: string;
  let domain: string;
  beforeAll(async () => {
    if (!isThere) return;
    front = await startFrontProxy(name, sluice.url);
    ({ token } = await sluice.owner());
    domain = await sluice.application(token, schema);
  });
  afterAll(() => front?.stop());

  const request: Sluice['request'] = (method, path, options) =>
    call(front.url, method, `/api${path}`, options);
  /** A metric of the API; 0 until it is there. */
  const metric = async (start: string) => {
    const { text } = await call(sluice.url, 'GET', '/metrics', { token: METRICS_TOKEN });
    const line = text.split('\n').find((each) => each.startsWith(start));
    return Number(line?.split(' ').at(-1) ?? 0);
  };
  const count = async (of = domain) =>
    (await sluice.request('GET', `/applications/${of}`, { token })).body.data.entries;
  const batch = (of: string, body: string) =>
    request('POST', `/applications/${of}/data/batch`, {
      body,
      headers: { 'content-type': 'application/x-ndjson' },
    });

  it.runIf(isThere)(
    'takes uploads and batches, and lets Sluice itself refuse what is too large',
    async () => {
      const at = `/applications/${domain}/data`;
      const headers = { 'idempotency-key': 'once' };
      for (let n = 0; n < 2; n += 1)
        expect((await request('POST', at, { json: { n: 1 }, headers })).status).toBe(201);
      const body = [...numbered(8)].join('');
      expect((await batch(domain, body)).status).toBe(201);
      expect(await count()).toBe(1 + linesOf(8));
      const large = await batch(domain, body.repeat(3));
      expect([large.status, large.body.error.name]).toEqual([413, 'PayloadTooLargeError']);
    },
  );

  it.runIf(isThere)('tells the address of each client, and that it came by TLS', async () => {
    const { username, token: own } = await sluice.owner();
    const credentials = { username, password: 'correct horse' };
    const headers = { 'x-forwarded-for': '192.0.2.7' };
    const { status, headers: answered } = await request('POST', '/session', { json: credentials, headers });
    expect([status, answered.get('set-cookie')]).toEqual([200, expect.stringContaining('; Secure')]);
    const cookie = (answered.get('set-cookie') as string).split(';')[0] as string;
    const renewed = await request('POST', '/session/renew', { headers: { cookie, origin: front.url } });
    expect(renewed.status).toBe(200);
    const { body } = await sluice.request('GET', '/users/me/activity?limit=1', { token: own });
    expect(body.data.result[0].address).toMatch(/^(127\.0\.0\.1|::1)$/);
  });

  it.runIf(isThere)('passes on the longest filter', async () => {
    const filter = JSON.stringify({ text: { in: Array.from({ length: 95 }, () => 'ж'.repeat(19)) } });
    const path = `/applications/${domain}/data?filter=${encodeURIComponent(filter)}`;
    expect((await request('GET', path, { token })).status).toBe(200);
  });

  it.runIf(isThere)('hands an import over while it arrives', async () => {
    const path = `/applications/${domain}/import-files`;
    const headers = { 'tus-resumable': '1.0.0', 'upload-length': String(4 * 1024 ** 2) };
    const made = await request('POST', `${path}?format=ndjson`, { token, headers });
    const { id } = made.body.data;
    const sending = httpsRequest(`${front.url}/api${path}/${id}`, {
      method: 'PATCH',
      ca: frontCertificate,
      headers: {
        authorization: `Bearer ${token}`,
        'tus-resumable': '1.0.0',
        'content-type': 'application/offset+octet-stream',
        'content-length': 4 * 1024 ** 2,
        'upload-offset': 0,
      },
    });
    onTestFinished(() => void sending.destroy());
    sending.on('error', () => {});
    sending.write([...numbered(3)].join(''));
    // The rest never comes.
    await until(async () => {
      const job = await sluice.request('GET', `/applications/${domain}/imports/${id}`, { token });
      return job.body.data.arrived.bytes > 0;
    });
  });

  it.runIf(isThere)(
    `imports ${importMb} MB, in one request and by sluice import`,
    { timeout: 1_800_000 },
    async () => {
      const one = await sluice.application(token, schema);
      const response = await fetch(`${front.url}/api/applications/${one}/imports`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/x-ndjson' },
        body: Readable.toWeb(
          Readable.from(numbered(importMb)).map((text) => Buffer.from(text)),
        ) as ReadableStream,
        duplex: 'half',
      } as RequestInit);
      expect([response.status, await response.text()]).toEqual([202, expect.anything()]);
      await until(async () => (await count(one)) === linesOf(importMb), 900_000);

      const other = await sluice.application(token, schema);
      const user = commandLine({ url: front.url, token, app: other });
      const file = user.at('lines.ndjson');
      await pipeline(Readable.from(numbered(importMb)), createWriteStream(file));
      const sent = () =>
        metric(
          'http_request_duration_seconds_count{method="PATCH",route="/api/applications/:domain/import-files/:id",status="2xx"}',
        );
      const before = await sent();
      const { code, stdout } = await user.sluice(['import', file, '--json']);
      expect([code, JSON.parse(stdout)]).toMatchObject([0, { stored: linesOf(importMb), refused: 0 }]);
      expect(await count(other)).toBe(linesOf(importMb));
      // Some proxies refuse larger requests.
      expect((await sent()) - before).toBe(Math.ceil(importMb / 64));
    },
  );

  it.runIf(isThere)('passes on a refusal that comes before the end of the body', async () => {
    const path = `/applications/${domain}/imports`;
    const headers = { 'content-type': 'application/x-ndjson' };
    const { status, body } = await request('POST', path, { body: [...numbered(32)].join(''), headers });
    expect([status, body.error.name]).toEqual([401, expect.stringMatching(/Error$/)]);
  });

  it.runIf(isThere)('sends entries as they come, and tells Sluice when a follower leaves', async () => {
    const followers = () => metric('sluice_followers ');
    const following = await follow(front.url, { token, domain });
    await until(async () => (await followers()) === 1);
    for (let n = 1; n <= 3; n += 1) {
      await request('POST', `/applications/${domain}/data`, { json: { n: -n } });
      await until(async () => following.entries().some(({ payload }) => payload.n === -n));
    }
    following.leave();
    await until(async () => (await followers()) === 0);
  });

  it.runIf(isThere)('passes on exports, their heads and ranges', async () => {
    const jobs = `/applications/${domain}/exports`;
    const { id } = (await request('POST', jobs, { token, json: { format: 'ndjson' } })).body.data;
    await until(
      async () => (await request('GET', `${jobs}/${id}`, { token })).body.data.state === 'completed',
    );
    const ask = (url: string, method: string, headers = {}) =>
      fetch(`${url}/api${jobs}/${id}/file`, {
        method,
        headers: { authorization: `Bearer ${token}`, 'accept-encoding': 'identity', ...headers },
      });
    const bytesOf = async (answer: Response) => Buffer.from(await answer.arrayBuffer());
    const whole = await bytesOf(await ask(sluice.url, 'GET'));
    expect((await bytesOf(await ask(front.url, 'GET'))).equals(whole)).toBe(true);

    const head = await ask(front.url, 'HEAD');
    expect(head.headers.get('content-length')).toBe(String(whole.length));
    expect(head.headers.get('accept-ranges')).toBe('bytes');
    const etag = head.headers.get('etag') as string;
    const part = await ask(front.url, 'GET', { range: 'bytes=100000-199999', 'if-range': etag });
    expect([part.status, part.headers.get('content-range')]).toEqual([
      206,
      `bytes 100000-199999/${whole.length}`,
    ]);
    expect((await bytesOf(part)).equals(whole.subarray(100_000, 200_000))).toBe(true);
    expect((await ask(front.url, 'GET', { range: `bytes=${whole.length}-` })).status).toBe(416);

    const streamed = (url: string) =>
      call(url, 'GET', `/api/applications/${domain}/export?format=ndjson`, { token });
    expect((await streamed(front.url)).text).toBe((await streamed(sluice.url)).text);
  });
});
