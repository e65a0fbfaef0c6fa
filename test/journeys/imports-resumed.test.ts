import { writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { MongoClient, ObjectId } from 'mongodb';
import { Upload } from 'tus-js-client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createCuttingProxy } from '../support/cutting-proxy.ts';
import { importClient } from '../support/import-client.ts';
import { sharedSluice, until } from '../support/sluice.ts';
import { commandLine } from '../support/sluice-command.ts';

const sluice = await sharedSluice({ env: { OUTBOUND_ALLOW: '127.0.0.1' } });
const octets = 'application/offset+octet-stream';

async function scene() {
  const { token } = await sluice.owner();
  const domain = await sluice.application(token);
  const path = `/applications/${domain}/imports`;
  const pieces = `/applications/${domain}/import-files`;
  const ask = (method: string, where: string, headers: Record<string, string> = {}, body?: string) =>
    sluice.request(method, where.startsWith('/files') ? where.replace('/files', pieces) : path + where, {
      token,
      headers: { 'tus-resumable': '1.0.0', ...headers },
      ...(body !== undefined && { body }),
    });

  /** Begins an upload; returns its id. */
  async function begin(size: number, query = '?format=ndjson'): Promise<string> {
    const { status, text, headers } = await ask('POST', `/files${query}`, { 'upload-length': `${size}` });
    expect([status, text]).toEqual([201, expect.anything()]);
    return headers.get('location')?.split('/').at(-1) as string;
  }
  const patch = (id: string, offset: number, body: string) =>
    ask('PATCH', `/files/${id}`, { 'upload-offset': `${offset}`, 'content-type': octets }, body);
  const head = (id: string) => ask('HEAD', `/files/${id}`);
  const numbers = async () => {
    const { text } = await sluice.request('GET', `/applications/${domain}/export?format=ndjson`, { token });
    const lines = text.split('\n').filter(Boolean);
    return lines.map((line) => Number(JSON.parse(line).payload.n));
  };
  const client = importClient(sluice, token);
  return { token, domain, path, pieces, ask, begin, patch, head, numbers, ...client };
}

/** Changes the record of a job. */
async function change(id: string, fields: object): Promise<void> {
  const client = new MongoClient(sluice.env.MONGODB_URL as string);
  await client
    .db()
    .collection('jobs')
    .updateOne({ _id: new ObjectId(id) }, { $set: fields });
  await client.close();
}

const count = 20_000;
const pad = 'x'.repeat(40);
const rows = Array.from({ length: count }, (_, n) => n);
const files = {
  ndjson: () => rows.map((n) => `{"n":${n},"pad":"${pad}"}\n`).join(''),
  json: () => JSON.stringify(rows.map((n) => ({ n, pad }))),
  csv: () => `n,pad\n${rows.map((n) => `${n},${pad}\n`).join('')}`,
};

it.each([
  ['weather.ndjson', 'ndjson'],
  ['weather.json', 'json'],
  ['weather.csv', 'csv'],
] as const)('tus-js-client sends %s over a connection that is cut ten times', async (filename, format) => {
  const { token, domain, pieces, ended, numbers } = await scene();
  const file = Buffer.from(files[format]());
  const proxy = await createCuttingProxy(sluice.url, { after: file.length / 12, times: 10 });
  const url = await new Promise<string>((resolve, reject) => {
    const upload = new Upload(file, {
      endpoint: `${proxy.url}/api${pieces}`,
      headers: { authorization: `Bearer ${token}` },
      metadata: { filename },
      retryDelays: Array.from({ length: 30 }, () => 20),
      onError: reject,
      onSuccess: () => resolve(upload.url as string),
    });
    upload.start();
  });
  const job = await ended(domain, url.split('/').at(-1) as string);
  expect(job).toMatchObject({ state: 'completed', name: filename, format, accepted: count, rejected: 0 });
  expect(await numbers()).toEqual(rows);
  expect(proxy.left()).toBe(0);
});

it('an upload continues where the last request ended, and is imported once it is whole', async () => {
  const { domain, ask, begin, patch, head, ended, numbers } = await scene();
  const file = gzipSync(files.ndjson()).toString('latin1');
  const bytes = Buffer.from(file, 'latin1');
  const id = await begin(bytes.length);
  const send = (from: number, to: number) =>
    ask(
      'PATCH',
      `/files/${id}`,
      { 'upload-offset': `${from}`, 'content-type': octets },
      new Uint8Array(bytes.subarray(from, to)) as never,
    );
  expect((await send(0, 1_000)).headers.get('upload-offset')).toBe('1000');
  const listed = (await ask('GET', '')).body.data;
  expect(listed).toMatchObject([{ id, state: 'waiting', arrived: { bytes: 1_000, size: bytes.length } }]);
  const told = await head(id);
  expect([told.status, told.headers.get('upload-offset'), told.headers.get('cache-control')]).toEqual([
    200,
    '1000',
    'no-store',
  ]);
  expect(Date.parse(told.headers.get('upload-expires') as string)).toBeGreaterThan(Date.now());
  expect((await send(1_000, bytes.length)).status).toBe(204);
  expect((await ended(domain, id)).accepted).toBe(count);
  expect(await numbers()).toEqual(rows);
  // A client whose last answer was lost.
  const after = await head(id);
  expect([after.status, after.headers.get('upload-offset')]).toEqual([200, `${bytes.length}`]);
  expect((await patch(id, bytes.length, '')).status).toBe(204);
  expect((await patch(id, 0, 'x')).status).toBe(409);
});

describe('an upload', () => {
  it('tells what the server takes', async () => {
    const { ask } = await scene();
    const { status, headers } = await ask('OPTIONS', '/files');
    expect([status, headers.get('tus-version'), headers.get('tus-extension')]).toEqual([
      204,
      '1.0.0',
      'creation,termination,expiration',
    ]);
    expect(Number(headers.get('tus-max-size'))).toBeGreaterThan(0);
  });

  it.each<[string, string, Record<string, string>, number]>([
    ['without a length', '?format=csv', {}, 400],
    ['without bytes', '?format=csv', { 'upload-length': '0' }, 400],
    ['over the limit', '?format=csv', { 'upload-length': '99999999999999' }, 413],
    ['of an unknown format', '', { 'upload-length': '1' }, 400],
    ['by another version of tus', '?format=csv', { 'upload-length': '1', 'tus-resumable': '0.2.1' }, 412],
    ['with other names that cannot be read', '?format=csv&columns=%7B', { 'upload-length': '1' }, 400],
    ['without the names of its columns', '?format=csv&header=absent', { 'upload-length': '1' }, 400],
    [
      'with metadata that cannot be read',
      '?format=csv',
      { 'upload-length': '1', 'upload-metadata': 'filename ***' },
      400,
    ],
  ])('%s is not begun', async (_what, query, headers, expected) => {
    const { ask } = await scene();
    const answer = await ask('POST', `/files${query}`, headers);
    expect([answer.status, answer.headers.get('tus-resumable')]).toEqual([expected, '1.0.0']);
    expect((await ask('GET', '')).body.data).toEqual([]);
  });

  it('refuses what is not its next bytes', async () => {
    const { ask, begin, patch } = await scene();
    const id = await begin(10);
    expect((await patch(id, 5, 'x')).status).toBe(409);
    expect((await patch(id, 0, 'more than ten bytes')).status).toBe(413);
    const others = { 'upload-offset': '0', 'content-type': 'application/json' };
    expect((await ask('PATCH', `/files/${id}`, others, '{}')).status).toBe(415);
    expect((await ask('PATCH', `/files/${id}`, { 'content-type': octets }, 'x')).status).toBe(400);
    expect((await patch(id, 0, '{}')).headers.get('upload-offset')).toBe('2');
    expect((await patch(new ObjectId().toHexString(), 0, '{}')).status).toBe(404);
  });

  it('that two requests continue at once takes the bytes of one', async () => {
    const { begin, patch, head, domain, ended, numbers } = await scene();
    const lines = '{"n":1}\n{"n":2}\n';
    const id = await begin(lines.length);
    const half = lines.length / 2;
    const answers = await Promise.all([
      patch(id, 0, lines.slice(0, half)),
      patch(id, 0, lines.slice(0, half)),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 409]);
    expect((await head(id)).headers.get('upload-offset')).toBe(`${half}`);
    await patch(id, half, lines.slice(half));
    expect((await ended(domain, id)).accepted).toBe(2);
    expect(await numbers()).toEqual([1, 2]);
  });

  it('of too many pieces says so, as to ask for its offset would lead nowhere', async () => {
    const { begin, patch, head } = await scene();
    const id = await begin(10);
    await patch(id, 0, '{}');
    await change(id, { parts: Array.from({ length: 20_000 }, () => ({ id: '0', rows: 0, bytes: 1 })) });
    const { status, body } = await patch(id, 2, '\n');
    expect([status, body.error.message]).toEqual([409, expect.stringContaining('20,000 pieces')]);
    expect((await head(id)).headers.get('upload-offset')).toBe('2');
  });

  it('is of its application alone, until it is removed or has expired', async () => {
    const { token, ask, begin, patch, head, store, path, pieces } = await scene();
    const other = await sluice.owner();
    const id = await begin(10);
    await patch(id, 0, '{}');
    const asked = await sluice.request('HEAD', `${pieces}/${id}`, { token: other.token });
    expect(asked.status).toBe(404);
    expect((await ask('DELETE', `/files/${id}`)).status).toBe(204);
    expect([(await head(id)).status, (await patch(id, 2, 'x')).status]).toEqual([404, 404]);
    const old = await begin(10);
    await patch(old, 0, '{}');
    await change(old, { leaseUntil: new Date(Date.now() - 1_000) });
    expect([(await head(old)).status, (await patch(old, 2, 'x')).status]).toEqual([404, 404]);
    await until(async () => (await store.jobs.get(old)) === undefined);
    const client = new MongoClient(sluice.env.MONGODB_URL as string);
    onTestFinished(() => client.close());
    const parts = client.db().collection('parts');
    const left = { job: { $in: [id, old].map((each) => new ObjectId(each)) } };
    await until(async () => (await parts.countDocuments(left)) === 0);
    const gone = await begin(10);
    await sluice.request('DELETE', path.replace('/imports', ''), { token });
    expect((await patch(gone, 0, '{}')).status).toBe(404);
    await until(async () => (await store.jobs.get(gone)) === undefined);
  });

  it('whose file cannot be read fails with the reason, and keeps nothing', async () => {
    const { domain, ask, begin, patch, ended, numbers, store } = await scene();
    const id = await begin(5, '?format=json');
    await patch(id, 0, '{"n":');
    const job = await ended(domain, id);
    expect(job).toMatchObject({
      state: 'failed',
      accepted: 0,
      error: expect.stringContaining('nothing was stored'),
    });
    expect((await ask('POST', `/${id}/retry`)).status).toBe(409);
    expect(await numbers()).toEqual([]);
    expect(await store.jobs.imports.bytesOfOwner((await store.jobs.get(id))?.owner as string)).toBe(0);
  });
});

type Serve = (request: IncomingMessage, response: ServerResponse, count: number) => void;

/** A server of files on 127.0.0.1; `serve` is told how many requests there were. Call in a test. */
async function fileServer(serve: Serve) {
  const ranges: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    ranges.push(request.headers.range);
    serve(request, response, ranges.length);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, ranges };
}

/** Sends this much of a body, and breaks the connection. */
function sendPart(response: ServerResponse, body: Buffer, length: number): void {
  response.setHeader('content-length', body.length);
  response.write(body.subarray(0, length), () => response.destroy());
}

describe('an import from a URL', () => {
  const fromUrl = async (serve: Serve, file = '/weather.ndjson', query = '') => {
    const all = await scene();
    const server = await fileServer(serve);
    const start = (url: string) =>
      sluice.request('POST', `${all.path}/from-url${query}`, { token: all.token, json: { url } });
    const answer = await start(server.url + file);
    expect([answer.status, answer.text]).toEqual([202, expect.anything()]);
    const { id } = answer.body.data;
    return { ...all, ...server, id, start };
  };
  const body = Buffer.from(files.ndjson());

  it.each([
    ['plain', '/weather.ndjson?secret=1', '', (response: ServerResponse) => response.end(body)],
    ['gzip', '/weather.ndjson.gz', '', (response: ServerResponse) => response.end(gzipSync(body))],
    ['CSV', '/download', '?format=csv', (response: ServerResponse) => response.end(files.csv())],
  ])('downloads a file that is %s, also behind a redirect', async (_what, file, query, send) => {
    const { domain, id, ended, numbers } = await fromUrl(
      ({ url = '' }, response) => {
        if (url.startsWith('/moved')) send(response);
        else response.writeHead(302, { location: `/moved${url}` }).end();
      },
      file,
      query,
    );
    const name = file.slice(1).split('?')[0];
    expect(await ended(domain, id)).toMatchObject({ state: 'completed', name, accepted: count });
    expect(await numbers()).toEqual(rows);
  });

  it.each([
    ['by a range, if the server names its version', '"1"', `bytes=${body.length / 2}-`],
    ['else by what comes again', undefined, undefined],
  ])('goes on after a lost connection %s', async (_how, etag, range) => {
    const half = body.length / 2;
    const { domain, id, ended, numbers, ranges } = await fromUrl((request, response, requests) => {
      if (etag) response.setHeader('etag', etag);
      if (requests === 1) return sendPart(response, body, half);
      if (!request.headers.range) return void response.end(body);
      const from = Number(/\d+/.exec(request.headers.range)?.[0]);
      const head = { 'content-range': `bytes ${from}-${body.length - 1}/${body.length}` };
      response.writeHead(206, head).end(body.subarray(from));
    });
    expect(await ended(domain, id)).toMatchObject({ state: 'completed', accepted: count });
    expect(await numbers()).toEqual(rows);
    expect(ranges).toHaveLength(2);
    if (!range) expect(ranges[1]).toBeUndefined();
    else expect(Number(/\d+/.exec(ranges[1] as string)?.[0])).toBeGreaterThan(0);
  });

  it('goes on behind a range that ends before the file does', async () => {
    const part = body.length / 4;
    const { domain, id, ended, numbers, ranges } = await fromUrl((request, response, requests) => {
      response.setHeader('etag', '"1"');
      if (requests === 1) return sendPart(response, body, part);
      const from = Number(/\d+/.exec(request.headers.range as string)?.[0]);
      const piece = body.subarray(from, Math.ceil(from + part));
      const range = `bytes ${from}-${from + piece.length - 1}/${body.length}`;
      response.writeHead(206, { 'content-range': range }).end(piece);
    });
    expect(await ended(domain, id)).toMatchObject({ state: 'completed', accepted: count });
    expect(await numbers()).toEqual(rows);
    expect(ranges.length).toBeGreaterThan(3);
  });

  it.each<[string, Serve, RegExp]>([
    [
      'that is not there',
      (_, response) => response.writeHead(404).end(),
      /^the URL answered 404; nothing was stored$/,
    ],
    [
      'that redirects for ever',
      (_, response) => response.writeHead(302, { location: '/' }).end(),
      /redirects more than 5 times/,
    ],
    [
      'that redirects to a file of the server',
      (_, response) => response.writeHead(302, { location: 'file:///etc/passwd' }).end(),
      /redirects to file:/,
    ],
    [
      'whose server is ill',
      (_, response) => response.writeHead(503).end(),
      /the URL answered 503.*tried 3 times/,
    ],
    [
      'whose connection is always lost',
      (_, response) => sendPart(response, body, 1_000),
      /lost after 1,000 bytes.*tried 3 times/,
    ],
    [
      'that changes meanwhile',
      (_, response, requests) =>
        requests === 1 ? sendPart(response, body, 1_000) : response.end(Buffer.alloc(9_999, '{')),
      /has changed/,
    ],
    [
      'that goes on with a range of another version',
      (request, response, requests) => {
        response.setHeader('etag', `"${requests}"`);
        if (requests === 1) return sendPart(response, body, 1_000);
        const from = Number(/\d+/.exec(request.headers.range as string)?.[0]);
        const range = `bytes ${from}-${body.length - 1}/${body.length}`;
        response.writeHead(206, { 'content-range': range }).end(body.subarray(from));
      },
      /has changed/,
    ],
    [
      'that is not what it was said to be',
      (_, response) => response.end('PK\x03\x04'),
      /nothing was stored$/,
    ],
  ])('%s fails and stores nothing', async (_what, serve, reason) => {
    const { domain, id, ended, numbers } = await fromUrl(serve);
    expect(await ended(domain, id)).toMatchObject({
      state: 'failed',
      accepted: 0,
      error: expect.stringMatching(reason),
    });
    expect(await numbers()).toEqual([]);
  });

  it('can be retried', async () => {
    let isThere = false;
    const { domain, id, ended, numbers, ask } = await fromUrl((_, response) =>
      isThere ? response.end(body) : response.writeHead(404).end(),
    );
    expect((await ended(domain, id)).state).toBe('failed');
    isThere = true;
    expect((await ask('POST', `/${id}/retry`)).status).toBe(202);
    expect(await ended(domain, id)).toMatchObject({ state: 'completed', accepted: count });
    expect(await numbers()).toEqual(rows);
  });

  it('ends when it is cancelled, and when the application is deleted', async () => {
    const hang: Serve = (_, response) => void response.write(body.subarray(0, 1_000));
    const { domain, id, ended, ask, start, token, url, store } = await fromUrl(hang);
    expect((await ask('DELETE', `/${id}`)).body.data.message).toContain('was cancelled');
    expect((await ended(domain, id)).state).toBe('cancelled');
    const other = (await start(`${url}/b.csv`)).body.data.id;
    await until(async () => (await store.jobs.get(other))?.state === 'active');
    expect((await sluice.request('DELETE', `/applications/${domain}`, { token })).status).toBe(200);
    await until(async () => (await store.jobs.get(other)) === undefined);
  });

  it('lets go of the server when nobody wants the file any more, whatever the server sends', async () => {
    let open = 0;
    // A head of gzip, with a name of the file that has no end.
    const drip: Serve = (_, response) => {
      open += 1;
      response.write(Buffer.from([0x1f, 0x8b, 8, 8, 0, 0, 0, 0, 0, 3]));
      const dripping = setInterval(() => response.write('x'), 100);
      response.once('close', () => {
        clearInterval(dripping);
        open -= 1;
      });
    };
    const { id, ask } = await fromUrl(drip);
    await until(async () => open === 1);
    await ask('DELETE', `/${id}`);
    await until(async () => open === 0);
  });

  it('reaches no private address that is not allowed', async () => {
    const { start } = await fromUrl((_, response) => response.end(body));
    const refused = await start('http://10.1.2.3/a.csv');
    expect([refused.status, refused.body.error.message]).toEqual([
      400,
      expect.stringContaining('private address 10.1.2.3'),
    ]);
    for (const url of ['ftp://example.com/a.csv', 'http://a:b@example.com/a.csv', 'nonsense'])
      expect((await start(url)).status).toBe(400);
  });

  it('reaches no name of a private address', async () => {
    const closed = await sharedSluice();
    const { token } = await closed.owner();
    const domain = await closed.application(token);
    const json = { url: 'http://localhost:9/a.csv' };
    const path = `/applications/${domain}/imports/from-url`;
    const { body: made } = await closed.request('POST', path, { token, json });
    const { error } = await importClient(closed, token).ended(domain, made.data.id);
    expect(error).toMatch(/^localhost has the private address .*; nothing was stored$/);
  });
});

describe('sluice import', () => {
  async function command(cuts: { after: number; times: number }, content: string) {
    const { token, domain, numbers } = await scene();
    const proxy = await createCuttingProxy(sluice.url, cuts);
    const user = commandLine({ url: proxy.url, token, app: domain });
    const file = user.at('weather.csv');
    writeFileSync(file, content);
    return { ...user, file, numbers, proxy };
  }

  it('goes on after its connection was cut', async () => {
    const content = files.csv();
    const cuts = { after: content.length / 5, times: 4 };
    const { sluice: run, file, numbers, proxy } = await command(cuts, content);
    expect(await run(['import', file])).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('20,000 stored, 0 refused'),
    });
    expect(await numbers()).toEqual(rows);
    expect(proxy.left()).toBe(0);
  });

  it('goes on after Ctrl-C, when it is repeated, and writes what was refused', async () => {
    const content = `${files.csv()}1,2,3\n`;
    const {
      start,
      sluice: run,
      file,
      numbers,
      proxy,
      at,
    } = await command({ after: content.length / 2, times: 1 }, content);
    const stopping = new AbortController();
    const first = start(['import', file], { signal: stopping.signal });
    await until(async () => proxy.left() === 0);
    stopping.abort();
    expect(await first.code).toBe(130);
    const args = ['import', file, '--json', '--refused', at('refused.ndjson')];
    const { code, stdout, stderr } = await run(args);
    expect([code, stderr]).toEqual([1, expect.stringContaining('continuing with the import')]);
    expect(JSON.parse(stdout)).toMatchObject({ stored: count, refused: 1 });
    expect(await numbers()).toEqual(rows);
    expect(proxy.sent()).toBeLessThan(1.4 * content.length);
  });

  it('ends when the file is changed while it is sent', async () => {
    const content = files.csv();
    const cuts = { after: content.length / 2, times: 1 };
    const { start, file, numbers, proxy } = await command(cuts, content);
    const sending = start(['import', file]);
    await until(async () => proxy.left() === 0);
    writeFileSync(file, 'n\n');
    expect([await sending.code, await text(sending.stderr)]).toEqual([
      2,
      expect.stringContaining('has changed while it was sent'),
    ]);
    expect(await numbers()).toEqual([]);
  });

  it('has the server download a URL, and tells why it cannot', async () => {
    const { sluice: run, numbers } = await command({ after: 0, times: 0 }, 'unused');
    const { url } = await fileServer(({ url: path }, response) => {
      if (path === '/a.csv') response.end('n\n1\n');
      else response.writeHead(404).end();
    });
    expect((await run(['import', `${url}/a.csv`])).code).toBe(0);
    expect(await numbers()).toEqual([1]);
    const { code, stderr } = await run(['import', `${url}/b.csv`]);
    expect([code, stderr]).toEqual([4, expect.stringContaining('the URL answered 404')]);
  });
});
