import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer, text } from 'node:stream/consumers';
import { ListMultipartUploadsCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { parseAllowed } from '@sluice/shared/public-address.ts';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { startVersitygw } from '../../../test/support/versitygw.ts';
import { toError } from './folder-files.ts';
import { folderStore } from './folder-store.ts';
import { ObjectStoreError } from './object-store.ts';
import { openObjectStore } from './open-store.ts';
import { addChecksums } from './s3-checksums.ts';
import { toFault } from './s3-faults.ts';
import { type S3Target, s3Store } from './s3-store.ts';

const allow = (...parts: string[]) => parseAllowed(parts) ?? expect.unreachable();
const allowed = allow('127.0.0.1', 'localhost');
const gateway = await startVersitygw();
const folder = mkdtempSync(join(tmpdir(), 'sluice-objects-'));
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await gateway.stop();
});

async function* pieces(...given: (string | Buffer)[]) {
  for (const each of given) yield Buffer.from(each);
}

async function* failing(before: Buffer) {
  yield before;
  throw new Error('cut off');
}

const big = randomBytes(20 * 1024 * 1024);
const slices = () => Array.from({ length: 20 }, (_, at) => big.subarray(at << 20, (at + 1) << 20));

describe.each([
  ['a bucket', { kind: 's3', ...gateway.target, prefix: '/base/' }],
  ['a folder', { kind: 'folder' }],
] as const)('%s', (_what, target) => {
  const store = openObjectStore(target, { folder, allowed });
  afterAll(() => store.close());
  const names = async (prefix: string) => {
    const found = [];
    for await (const { name, bytes } of store.list(prefix)) found.push(`${name} ${bytes}`);
    return found.toSorted();
  };
  const contents = async (name: string) => text((await store.read(name)) ?? pieces('none'));

  it('stores one of two that are created at once', async () => {
    const created = await Promise.all(['1', '2'].map((each) => store.create('once/a', pieces(each))));
    expect(created.toSorted()).toEqual([false, true]);
    expect(await contents('once/a')).toBe(created[0] ? '1' : '2');
  });

  it('replaces and removes', async () => {
    expect(await store.create('r/a', pieces('one'))).toBe(true);
    expect(await store.create('r/a', pieces('other'))).toBe(false);
    await store.replace('r/a', pieces('two', '!'));
    expect(await contents('r/a')).toBe('two!');
    await store.remove('r/a');
    await store.remove('r/a');
    expect(await store.read('r/a')).toBeUndefined();
  });

  it('names the folders of a folder, and removes one with all that is below', async () => {
    const under = ['f/a/1', 'f/a/b/2', 'f/ab/3', 'f/4'];
    for (const name of under) await store.create(name, pieces('x'));
    expect((await store.folders('f')).toSorted()).toEqual(['a', 'ab']);
    expect(await store.folders('none')).toEqual([]);
    await store.removeFolder('f/a');
    await store.removeFolder('f/a');
    expect(await names('f/')).toEqual(['f/4 1', 'f/ab/3 1']);
  });

  it('stores large objects once, and nothing of those whose source fails', async () => {
    expect(await store.create('l/big', pieces(...slices()))).toBe(true);
    expect(await store.create('l/big', pieces(...slices()))).toBe(false);
    expect((await buffer((await store.read('l/big')) ?? pieces())).equals(big)).toBe(true);
    await expect(store.create('l/none', failing(big))).rejects.toThrow('cut off');
    await expect(store.create('l/small', failing(Buffer.from('half')))).rejects.toThrow('cut off');
    expect(await names('l/')).toEqual([`l/big ${big.length}`]);
    expect(await unfinishedUploads()).toEqual([]);
  });

  it('makes an object of parts, once they are finished', async () => {
    const { inParts } = store;
    const id = await inParts.begin('p/a');
    const [first, second, other] = [big.subarray(0, 8 << 20), big.subarray(8 << 20), big.subarray(5 << 20)];
    const tags = [await inParts.put('p/a', id, { number: 1, start: 0 }, first)];
    // A part of a worker that died before it noted the tag.
    await inParts.put('p/a', id, { number: 2, start: first.length }, other);
    tags.push(await inParts.put('p/a', id, { number: 2, start: first.length }, second));
    expect(await names('p/')).toEqual([]);
    await inParts.finish('p/a', id, tags);
    await inParts.finish('p/a', id, tags);
    expect((await buffer((await store.read('p/a')) ?? pieces())).equals(big)).toBe(true);
    expect(await unfinishedUploads()).toEqual([]);
  });

  it('leaves nothing of parts that are abandoned', async () => {
    const { inParts } = store;
    const id = await inParts.begin('q/a');
    await inParts.put('q/a', id, { number: 1, start: 0 }, big);
    await inParts.abandon('q/a', id);
    await inParts.abandon('q/a', id);
    await expect(inParts.finish('q/a', id, ['"x" '])).rejects.toThrow();
    expect(await names('q/')).toEqual([]);
    expect(await unfinishedUploads()).toEqual([]);
    if (target.kind === 'folder') expect(readdirSync(join(folder, 'q'))).toEqual([]);
  });

  it('lists more than a page', async () => {
    for (let at = 0; at < 1010; at += 10)
      await Promise.all(Array.from({ length: 10 }, (_, of) => store.create(`m/${at + of}`, pieces('x'))));
    expect(await names('m/')).toHaveLength(1010);
    expect(await names('m/100')).toHaveLength(11);
    expect(await names('none/')).toEqual([]);
  });
});

function openClient() {
  const { endpoint, bucket: Bucket, ...credentials } = gateway.target;
  return {
    Bucket,
    client: new S3Client({ endpoint, region: 'us-east-1', forcePathStyle: true, credentials }),
  };
}

async function unfinishedUploads() {
  const { Bucket, client } = openClient();
  const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket }));
  client.destroy();
  return Uploads;
}

it.each([
  ['http', false, 'XAmzContentSHA256Mismatch'],
  ['https', true, 'BadDigest'],
])('with the checksums of %s a server refuses what changes on the way', async (_what, isEncrypted, name) => {
  const { Bucket, client } = openClient();
  onTestFinished(() => client.destroy());
  const ChecksumAlgorithm = addChecksums(client, { isEncrypted });
  let isChanged = false;
  client.middlewareStack.add(
    (next) => (args) => {
      if (isChanged) (args.request as { body: unknown }).body = Buffer.from('changed');
      return next(args);
    },
    { step: 'finalizeRequest', priority: 'low' },
  );
  const put = () =>
    client.send(new PutObjectCommand({ Bucket, Key: name, Body: Buffer.from('as sent'), ChecksumAlgorithm }));
  await put();
  isChanged = true;
  await expect(put()).rejects.toMatchObject({ name });
});

async function faultOf(change: Partial<S3Target>, reachable = allowed): Promise<string> {
  const store = s3Store({ ...gateway.target, ...change }, { allowed: reachable });
  onTestFinished(() => store.close());
  const fault = await store.create('fault', pieces('x')).catch((error: unknown) => error);
  expect(fault).toBeInstanceOf(ObjectStoreError);
  return (fault as Error).message;
}

/** The endpoint of a server that answers like this. */
async function serving(answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close().closeAllConnections());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function answering(status: number, name: string): Promise<string> {
  const endpoint = await serving((request, answer) => {
    request.resume().on('end', () => {
      answer.writeHead(status, { 'content-type': 'application/xml' });
      answer.end(`<?xml version="1.0"?><Error><Code>${name}</Code><Message>no</Message></Error>`);
    });
  });
  return faultOf({ endpoint });
}

it.each([
  ['is there', 200, false],
  ['is not', 404, /closes the connection: check the endpoint/],
])(
  'a server that closes the connection amid the body is asked whether the object is there: it %s',
  async (_what, status, expected) => {
    const endpoint = await serving((request, answer) => {
      if (request.method === 'HEAD') answer.writeHead(status).end();
      else request.socket.destroy();
    });
    const store = s3Store({ ...gateway.target, endpoint }, { allowed });
    onTestFinished(() => store.close());
    const created = store.create('closed', pieces(big.subarray(0, 4 << 20)));
    if (expected === false) expect(await created).toBe(false);
    else await expect(created).rejects.toThrow(expected);
  },
);

it('an upload whose end got no answer is not ended again: the object that is there is not called new', async () => {
  const endpoint = await serving((request, answer) => {
    request.resume().on('end', () => {
      const isEnd = request.method === 'POST' && request.url?.includes('uploadId=');
      answer.writeHead(isEnd ? 404 : 200, { 'content-type': 'application/xml', etag: '"x"' });
      if (isEnd) answer.end('<Error><Code>NoSuchUpload</Code><Message>no</Message></Error>');
      else if (request.method === 'POST')
        answer.end('<InitiateMultipartUploadResult><UploadId>1</UploadId></InitiateMultipartUploadResult>');
      else answer.end();
    });
  });
  const store = s3Store({ ...gateway.target, endpoint }, { allowed });
  onTestFinished(() => store.close());
  expect(await store.create('ended', pieces(big))).toBe(false);
});

describe('a folder that cannot be used says why', () => {
  it.each([
    ['is a file', 'file'],
    ['is below a file', 'file/below'],
  ])('it %s', async (_what, path) => {
    writeFileSync(join(folder, 'file'), '');
    const store = folderStore(join(folder, path));
    const each = [
      () => store.create('a/b', pieces('x')),
      () => store.replace('a/b', pieces('x')),
      () => store.read('a/b'),
      () => Array.fromAsync(store.list('a/')),
      () => Array.fromAsync(store.list('')),
      () => store.remove('a/b'),
      () => store.inParts.begin('a/b'),
      () => store.inParts.put('a/b', 'id', { number: 1, start: 0 }, big),
      () => store.inParts.finish('a/b', 'id', []),
    ];
    for (const work of each) {
      const fault = await work().catch((error: unknown) => error);
      expect(fault).toBeInstanceOf(ObjectStoreError);
      expect((fault as Error).message).toMatch(/file.* cannot be used: .*must be a folder$/);
    }
  });

  it.each([
    ['EACCES', /^\/lake cannot be used: the user of the process needs the right/],
    ['EROFS', /^\/lake cannot be written: the disk is read-only$/],
    ['ENOSPC', /^\/lake cannot be written: the disk is full$/],
  ])('%s', (code, message) => {
    const fault = toError(Object.assign(new Error(code), { code, path: '/lake' }));
    expect(fault).toBeInstanceOf(ObjectStoreError);
    expect((fault as Error).message).toMatch(message);
  });
});

/** A server that is no S3 server, and how to reach it. */
async function reaching(protocol: string, server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return faultOf({ endpoint: `${protocol}://127.0.0.1:${(server.address() as AddressInfo).port}` });
}

it('a server of another protocol is told from one that is away', async () => {
  const redis = createTcpServer((socket) => void socket.on('error', () => {}).write('-ERR unknown\r\n'));
  expect(await reaching('http', redis)).toMatch(/does not speak http: check the port of the endpoint$/);
});

it.each(['DEPTH_ZERO_SELF_SIGNED_CERT', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'ERR_TLS_CERT_ALTNAME_INVALID'])(
  'a certificate is not trusted: %s',
  (code) => {
    const place = { host: 's3.example', bucket: 'lake', region: 'us-east-1', keyId: 'key' };
    const fault = toFault(Object.assign(new Error(code), { code }), place);
    expect(fault).toBeInstanceOf(ObjectStoreError);
    expect((fault as Error).message).toMatch(/certificate that can be trusted .*NODE_EXTRA_CA_CERTS$/);
  },
);

describe('a fault tells what to do', () => {
  it.each([
    [
      'an unknown key',
      { accessKeyId: 'nobody' },
      /does not know the access key id nobody: give another key$/,
    ],
    [
      'a wrong secret',
      { secretAccessKey: 'hush' },
      /^the secret access key does not belong to .*sluice-test: give both again$/,
    ],
    [
      'a wrong region',
      { region: 'eu-north-1' },
      /is not in the region eu-north-1: give the region and endpoint/,
    ],
    ['no bucket', { bucket: 'nowhere' }, /has no bucket nowhere: create it/],
    [
      'nobody there',
      { endpoint: 'http://127.0.0.1:1' },
      /^127.0.0.1:1 cannot be reached \(ECONNREFUSED\): check the endpoint/,
    ],
    [
      'https of a server that speaks http',
      { endpoint: gateway.target.endpoint.replace('http:', 'https:') },
      /^127.0.0.1:\d+ does not speak https: give an endpoint with http:/,
    ],
    [
      'a wrong name',
      { endpoint: 'http://nowhere.invalid' },
      /^the name nowhere.invalid cannot be resolved: check the endpoint$/,
    ],
  ])('%s', async (_what, change, message) => {
    const fault = await faultOf(change);
    expect(fault).toMatch(message);
    expect(fault).not.toContain('hush');
  });

  it.each([
    ['an address', gateway.target.endpoint],
    ['a name', gateway.target.endpoint.replace('127.0.0.1', 'localhost')],
  ])('a private endpoint, by %s', async (_what, endpoint) => {
    expect(await faultOf({ endpoint }, allow())).toMatch(/private address.*OUTBOUND_ALLOW$/);
  });

  it.each([
    [503, 'SlowDown', /is overloaded or broken \(503\): wait/],
    [403, 'AccessDenied', /may not use the bucket lake like this: allow it/],
    [501, 'NotImplemented', /use a server that can write under a condition$/],
    [403, 'RequestTimeTooSkewed', /^the clock of the server that runs Sluice differs/],
    [301, 'PermanentRedirect', /^the bucket lake is not in the region us-east-1: give the region/],
  ])('%i %s', async (status, name, message) => {
    expect(await answering(status, name)).toMatch(message);
  });
});
