import { text } from 'node:stream/consumers';
import { askHidden } from '@sluice/shared/terminal/ask-hidden.ts';
import type { Command } from 'commander';
import { CliError } from '../cli-error.ts';
import type { Context } from '../context.ts';

/** Of a bucket; without one, the folder of the operator. */
export interface BucketPlace {
  bucket?: string | undefined;
  prefix?: string | undefined;
}

/** Of `addBucketOptions`. */
export interface BucketOptions {
  accessKeyId?: string;
  endpoint?: string;
  region?: string;
  pathStyle?: boolean;
}

/** What a command needs to know of a bucket besides its name. */
export const addBucketOptions = (command: Command): Command =>
  command
    .option('--access-key-id <id>', 'of the bucket; else AWS_ACCESS_KEY_ID')
    .option('--endpoint <address>', 'of the S3 service; without it, AWS')
    .option('--region <name>')
    .option('--path-style', 'the bucket is in the path of addresses, as most S3 services need');

const flags: Record<string, string> = {
  prefix: '--prefix',
  accessKeyId: '--access-key-id',
  endpoint: '--endpoint',
  region: '--region',
  pathStyle: '--path-style',
};

/** Throws CliError if an option was given that needs a bucket. `how`: the option that names one. */
export function refuseBucketOptions(options: BucketOptions, how: string): void {
  const stray = Object.entries(options).find(([name, value]) => name in flags && value !== undefined);
  if (stray) throw new CliError(`${flags[stray[0]]} is for a bucket: give ${how}`);
}

export const aboutSecret = `
The secret key is read from the terminal, or from the standard input. Without
--access-key-id the key is AWS_ACCESS_KEY_ID with AWS_SECRET_ACCESS_KEY.
`;

/** A place such as `s3://BUCKET/PREFIX`, or `folder`; undefined for another text. Throws CliError. */
export function readPlace(given: string | undefined): BucketPlace | undefined {
  if (given === 'folder') return {};
  if (!given?.startsWith('s3:')) return undefined;
  const [, bucket, prefix] = /^s3:\/\/([^/]+)\/*(.*?)\/*$/.exec(given) ?? [];
  if (!bucket) throw new CliError(`${given} names no bucket: write s3://BUCKET/PREFIX`);
  return { bucket, prefix: prefix || undefined };
}

/** Where files go, as the API takes it. Throws CliError. */
export async function toTarget(
  context: Context,
  { bucket, prefix }: BucketPlace,
  { accessKeyId, endpoint, region, pathStyle }: BucketOptions,
): Promise<object> {
  const place = { bucket, endpoint, region, prefix, path_style: pathStyle };
  if (bucket === undefined) return { kind: 'folder', ...place, access_key_id: accessKeyId };
  return { kind: 's3', ...place, ...(await readKey(context, accessKeyId)) };
}

/** A key, as the API takes it. The secret is no option, which other users of the machine could read. Throws CliError. */
export async function readKey(context: Context, given: string | undefined): Promise<object> {
  const { AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: secret } = context.env;
  if (given !== undefined) return { access_key_id: given, secret_access_key: await askForSecret(context) };
  if (!id || !secret)
    throw new CliError('give --access-key-id, or set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY');
  return { access_key_id: id, secret_access_key: secret };
}

async function askForSecret(context: Context): Promise<string> {
  const { stdin } = context;
  const secret = stdin.isTTY
    ? await askHidden(context, 'Secret key of the bucket (not shown): ')
    : await text(stdin);
  if (secret.trim() === '')
    throw new CliError('give the secret key of the bucket, in a terminal or on the standard input');
  return secret.trim();
}
