import { statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { folderStore } from '@sluice/objects/folder-store.ts';
import type { ObjectStore } from '@sluice/objects/object-store.ts';
import { s3Store } from '@sluice/objects/s3-store.ts';
import { everywhere } from '@sluice/shared/public-address.ts';
import { AdminError } from '../admin-error.ts';
import type { AdminTerminal } from '../terminal.ts';

type Env = AdminTerminal['env'];

/** With 10,000 parts, a backup has at most 312 GiB. */
const partSize = 32 * 1024 ** 2;

/** A bucket or a folder for backups; undefined for the name of a file. Throws AdminError. */
export function openPlace(text: string, env: Env): ObjectStore | undefined {
  if (text.startsWith('s3://')) return openBucket(text, env);
  if (text.startsWith('file://')) return openFolder(toPath(text));
  const isFolder = text.endsWith('/') || statSync(text, { throwIfNoEntry: false })?.isDirectory();
  return isFolder ? openFolder(text) : undefined;
}

const openFolder = (path: string) => folderStore(path, { mode: 0o600 });

function toPath(url: string): string {
  try {
    return fileURLToPath(url);
  } catch {
    throw new AdminError(`${url} names no folder of this machine: write file:///FOLDER`);
  }
}

function openBucket(text: string, env: Env): ObjectStore {
  const [, bucket, prefix] = /^s3:\/\/([^/]+)\/?(.*)$/.exec(text) ?? [];
  if (!bucket) throw new AdminError(`${text} names no bucket: write s3://BUCKET/PREFIX`);
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = env;
  if (!accessKeyId || !secretAccessKey)
    throw new AdminError('a bucket needs its key: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY');
  const endpoint = env.AWS_ENDPOINT_URL_S3 || env.AWS_ENDPOINT_URL || undefined;
  if (endpoint && !/^https?:$/.test(URL.parse(endpoint)?.protocol ?? ''))
    throw new AdminError(`${endpoint} is no URL: set AWS_ENDPOINT_URL to one such as https://s3.example`);
  const region = env.AWS_REGION || undefined;
  return s3Store(
    { bucket, prefix, endpoint, region, accessKeyId, secretAccessKey },
    { allowed: everywhere, partSize },
  );
}
