import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { isIP } from 'node:net';
import { Readable } from 'node:stream';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  S3Client,
  type S3ServiceException,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { createLookup, isPrivate, Unreachable } from '@sluice/shared/outbound.ts';
import { type Allowed, isReachable } from '@sluice/shared/public-address.ts';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { type ObjectStore, ObjectStoreError } from './object-store.ts';

export interface Bucket {
  endpoint?: string | undefined;
  region?: string | undefined;
  bucket: string;
  prefix?: string | undefined;
  accessKeyId: string;
  secretAccessKey: string;
  pathStyle?: boolean | undefined;
}

/** A part is in memory while it is sent; an object has at most 10,000. */
const partBytes = 8 * 1024 ** 2;
const tries = 3;
const connectMs = 10_000;
const silentMs = 60_000;

/** What to do about an error, by its name. */
const unknownKey = ({ accessKeyId }: Bucket) =>
  `the store does not know the access key ${accessKeyId}: give the archive a key that it knows`;
const advice: Record<string, (bucket: Bucket) => string> = {
  InvalidAccessKeyId: unknownKey,
  // Of versitygw.
  XAdminUserNotFound: unknownKey,
  SignatureDoesNotMatch: ({ accessKeyId }) =>
    `the secret access key of ${accessKeyId} is wrong: give the archive the right one`,
  AccessDenied: ({ accessKeyId, bucket }) =>
    `the key ${accessKeyId} may not do this in the bucket ${bucket}: let it list, read, write and delete objects there`,
  NoSuchBucket: ({ bucket }) =>
    `there is no bucket ${bucket}: create it, or make the archive anew with the right name`,
  RequestTimeTooSkewed: () =>
    'the clock of this worker and that of the store differ too much: set the clock of the worker',
  PermanentRedirect: ({ bucket }) =>
    `the bucket ${bucket} is in another region: make the archive anew with the region of the bucket`,
  AuthorizationHeaderMalformed: ({ bucket }) =>
    `the bucket ${bucket} is in another region: make the archive anew with the region of the bucket`,
  ConditionalRequestConflict: ({ bucket }) =>
    `another worker stores the same object in ${bucket}: nothing is to be done, the run is tried again`,
};

const isTaken = (error: unknown) => (error as S3ServiceException).name === 'PreconditionFailed';

/** Objects of a bucket. Addresses are checked as those of webhooks are. */
export function s3Store(bucket: Bucket, allowed: Allowed): ObjectStore {
  const { endpoint, region = 'us-east-1', accessKeyId, secretAccessKey, pathStyle = false } = bucket;
  const host = endpoint && new URL(endpoint).hostname.replace(/^\[|\]$/g, '');
  // Node looks up names alone.
  if (host && isIP(host) && !isReachable(host, allowed))
    throw new ObjectStoreError(isPrivate(host, host).message);
  const agent = { keepAlive: true, maxSockets: 8, lookup: createLookup(allowed) };
  const client = new S3Client({
    ...(endpoint && { endpoint }),
    region,
    credentials: { accessKeyId, secretAccessKey },
    forcePathStyle: pathStyle,
    maxAttempts: tries,
    requestHandler: new NodeHttpHandler({
      httpAgent: new HttpAgent(agent),
      httpsAgent: new HttpsAgent(agent),
      connectionTimeout: connectMs,
      socketTimeout: silentMs,
    }),
  });
  const base = bucket.prefix ? `${bucket.prefix}/` : '';
  const named = (name: string) => ({ Bucket: bucket.bucket, Key: base + name });

  function toError(error: unknown): unknown {
    if (error instanceof ObjectStoreError) return error;
    if (error instanceof Unreachable) return new ObjectStoreError(error.message);
    const { name, message, $metadata } = error as S3ServiceException;
    const known = advice[name]?.(bucket);
    if (known) return new ObjectStoreError(known);
    const where = endpoint ?? `S3 in ${region}`;
    if ($metadata?.httpStatusCode === undefined && !isOfNetwork(error)) return error;
    const status = $metadata?.httpStatusCode;
    return new ObjectStoreError(
      status === undefined
        ? `${where} cannot be reached (${message}): check the address and the network; the run is tried again`
        : `${where} answered ${status} ${name}: the run is tried again`,
    );
  }

  async function send<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw toError(error);
    }
  }

  /** Stores nothing when the pieces end in an error. */
  async function upload(name: string, pieces: AsyncIterable<Uint8Array>, condition: { IfNoneMatch?: '*' }) {
    const params = { ...named(name), ...condition, Body: Readable.from(pieces) };
    await new Upload({ client, params, partSize: partBytes, queueSize: 2 }).done();
  }

  async function* list(prefix: string) {
    for (let after: string | undefined; ; ) {
      const page = await send(() =>
        client.send(
          new ListObjectsV2Command({
            Bucket: bucket.bucket,
            Prefix: base + prefix,
            ...(after && { ContinuationToken: after }),
          }),
        ),
      );
      for (const { Key = '', Size = 0, LastModified = new Date(0) } of page.Contents ?? [])
        yield { name: Key.slice(base.length), bytes: Size, modifiedAt: LastModified };
      after = page.NextContinuationToken;
      if (!after) return;
    }
  }

  return {
    create: (name, pieces) =>
      send(() =>
        upload(name, pieces, { IfNoneMatch: '*' }).then(
          () => true,
          (error) => {
            if (isTaken(error)) return false;
            throw error;
          },
        ),
      ),
    replace: (name, pieces) => send(() => upload(name, pieces, {})),
    read: (name) =>
      send(async () => {
        const found = await client.send(new GetObjectCommand(named(name))).catch((error) => {
          if (error.name !== 'NoSuchKey') throw error;
        });
        return found?.Body as Readable | undefined;
      }),
    list,
    remove: (name) => send(async () => void (await client.send(new DeleteObjectCommand(named(name))))),
    close: () => client.destroy(),
  };
}

const isOfNetwork = (error: unknown) => {
  const { code, syscall, name } = error as NodeJS.ErrnoException;
  return syscall !== undefined || code?.startsWith('E') === true || name === 'TimeoutError';
};
