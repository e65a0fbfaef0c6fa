import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { Readable } from 'node:stream';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { checkAddress, createLookup } from '@sluice/shared/outbound.ts';
import type { Allowed } from '@sluice/shared/public-address.ts';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { type ObjectInfo, type ObjectStore, ObjectStoreError } from './object-store.ts';
import { partsOf } from './pieces.ts';
import { addChecksums } from './s3-checksums.ts';
import { toFault } from './s3-faults.ts';
import { s3Parts } from './s3-parts.ts';

export interface S3Target {
  endpoint?: string;
  region?: string;
  bucket: string;
  prefix?: string;
  accessKeyId: string;
  secretAccessKey: string;
  pathStyle?: boolean;
}

/** The agents are given, so proxies of the environment are not used. */
function createHandler(allowed: Allowed) {
  const options = { keepAlive: true, lookup: createLookup(allowed) };
  return new NodeHttpHandler({
    httpAgent: new HttpAgent(options),
    httpsAgent: new HttpsAgent(options),
    connectionTimeout: 10_000,
    socketTimeout: 60_000,
  });
}

interface S3Options {
  allowed: Allowed;
  partSize?: number;
  /** What messages call the access key id. */
  keyId?: string;
}

/** Objects are in a bucket of S3, or of a server that speaks its protocol. An object has at most 10,000 parts. */
export function s3Store(
  target: S3Target,
  { allowed, partSize = 8 * 1024 ** 2, keyId = target.accessKeyId }: S3Options,
): ObjectStore {
  const { bucket: Bucket, region = 'us-east-1', accessKeyId, secretAccessKey } = target;
  // Without it, the SDK would take the endpoint of the environment.
  const endpoint = target.endpoint ?? `https://s3.${region}.amazonaws.com`;
  const { host, hostname, protocol } = new URL(endpoint);
  const folder = target.prefix?.replace(/^\/+|\/+$/g, '');
  const base = folder ? `${folder}/` : '';
  const client = new S3Client({
    endpoint,
    region,
    credentials: { accessKeyId, secretAccessKey },
    forcePathStyle: target.pathStyle ?? target.endpoint !== undefined,
    maxAttempts: 3,
    requestChecksumCalculation: 'WHEN_REQUIRED',
    requestHandler: createHandler(allowed),
  });
  const ChecksumAlgorithm = addChecksums(client, { isEncrypted: protocol === 'https:' });
  const parts = s3Parts(client, { Bucket, base, ChecksumAlgorithm });
  const faultOf = (error: unknown) => toFault(error, { host, bucket: Bucket, region, keyId });

  async function asked<T>(ask: () => Promise<T>): Promise<T> {
    try {
      checkAddress(hostname, allowed);
      return await ask();
    } catch (error) {
      throw faultOf(error);
    }
  }

  /** Two parts are in memory, and sent at once. */
  async function put(name: string, pieces: AsyncIterable<Uint8Array>, condition: { IfNoneMatch?: '*' }) {
    let id: string | undefined;
    const sent: Promise<string>[] = [];
    try {
      for await (const part of partsOf(pieces, partSize)) {
        if (!id && part.length < partSize) {
          const whole = { Bucket, Key: base + name, Body: part, ChecksumAlgorithm, ...condition };
          await client.send(new PutObjectCommand(whole));
          return;
        }
        id ??= await parts.begin(name);
        const tag = parts.put(name, id, sent.length + 1, part);
        // A failure is handled at the later await.
        tag.catch(() => undefined);
        sent.push(tag);
        // The next part takes the memory of this one.
        await sent.at(-2);
      }
      if (id) await parts.complete(name, id, await Promise.all(sent), condition);
    } catch (error) {
      // A part that arrives after the end would stay.
      await Promise.allSettled(sent);
      if (id) await parts.abandon(name, id).catch(() => undefined);
      throw error;
    }
  }

  /** Whether a name could not be created because it is there. */
  async function isTaken(name: string, fault: Error): Promise<boolean> {
    if (fault.name === 'ConditionalRequestConflict')
      throw new ObjectStoreError(
        'two workers wrote the same object at once: nothing to do, it is tried again',
      );
    // A server may refuse a taken name, and close the connection, amid the body. The SDK calls that a timeout.
    const isUnclear = fault.name === 'TimeoutError' || fault.name === 'NoSuchUpload';
    if (!isUnclear) return fault.name === 'PreconditionFailed';
    const found = client.send(new HeadObjectCommand({ Bucket, Key: base + name }));
    return found.then(
      () => true,
      () => false,
    );
  }

  async function* readPieces(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    try {
      yield* body;
    } catch (error) {
      throw faultOf(error);
    }
  }

  async function* pages(prefix: string, Delimiter?: '/') {
    const Prefix = base + prefix;
    let ContinuationToken: string | undefined;
    do {
      const page = await asked(() =>
        client.send(new ListObjectsV2Command({ Bucket, Prefix, Delimiter, ContinuationToken })),
      );
      yield page;
      ContinuationToken = page.NextContinuationToken;
    } while (ContinuationToken);
  }

  async function* list(prefix: string): AsyncGenerator<ObjectInfo> {
    for await (const { Contents = [] } of pages(prefix))
      for (const { Key = '', Size = 0, LastModified = new Date(0) } of Contents)
        yield { name: Key.slice(base.length), bytes: Size, modifiedAt: LastModified };
  }

  async function folders(name: string): Promise<string[]> {
    const found: string[] = [];
    for await (const { CommonPrefixes = [] } of pages(`${name}/`, '/'))
      for (const { Prefix = '' } of CommonPrefixes)
        found.push(Prefix.slice(base.length + name.length + 1, -1));
    return found;
  }

  const remove = (name: string) =>
    asked(async () => {
      await client.send(new DeleteObjectCommand({ Bucket, Key: base + name }));
    });

  return {
    create: (name, pieces) =>
      asked(async () => {
        try {
          await put(name, pieces, { IfNoneMatch: '*' });
          return true;
        } catch (error) {
          if (await isTaken(name, error as Error)) return false;
          throw error;
        }
      }),
    replace: (name, pieces) => asked(() => put(name, pieces, {})),
    read: (name) =>
      asked(async () => {
        try {
          const { Body } = await client.send(new GetObjectCommand({ Bucket, Key: base + name }));
          return readPieces(Body as Readable);
        } catch (error) {
          if ((error as Error).name === 'NoSuchKey') return undefined;
          throw error;
        }
      }),
    list,
    folders,
    remove,
    async removeFolder(name) {
      for await (const found of list(`${name}/`)) await remove(found.name);
    },
    inParts: {
      begin: (name) => asked(() => parts.begin(name)),
      put: (name, id, { number }, data) => asked(() => parts.put(name, id, number, data)),
      finish: (name, id, tags) => asked(() => parts.finish(name, id, tags)),
      abandon: (name, id) => asked(() => parts.abandon(name, id)),
    },
    close: () => client.destroy(),
  };
}
