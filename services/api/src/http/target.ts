import type { ApiConfig } from '@sluice/shared/config/load.ts';
import { seal } from '@sluice/shared/seal.ts';
import type { ArchiveTarget } from '@sluice/store/archives/archive-records.ts';
import Type, { type Static } from 'typebox';
import { toOutboundUrl } from './outbound-url.ts';
import { invalidAt } from './refusals.ts';
import { Named, Strict } from './schemas.ts';

export const place = {
  kind: Type.Enum(['s3', 'folder'], {
    title: 'ArchiveKind',
    description:
      '`s3`: a bucket of any S3 service; needs `bucket`, `access_key_id` and `secret_access_key`. `folder`: the folder of the operator; has no other members.',
  }),
  endpoint: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 2_000,
      pattern: '^[^?#]*$',
      description:
        'Must be an http or https URL without a query. Absent: that of AWS for the region. Private addresses are refused.',
      examples: ['https://s3.example.com'],
    }),
  ),
  region: Type.Optional(
    Type.String({
      maxLength: 64,
      pattern: '^[a-z0-9-]+$',
      description: 'Must be small letters, digits and `-`.',
      examples: ['eu-central-1'],
    }),
  ),
  bucket: Type.Optional(
    Type.String({
      minLength: 3,
      maxLength: 63,
      pattern: '^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$',
      description: 'Must be a name that S3 allows: small letters, digits, `.` and `-`.',
      examples: ['lake'],
    }),
  ),
  prefix: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 512,
      pattern: "^[A-Za-z0-9!_.*'()=-]+(/[A-Za-z0-9!_.*'()=-]+)*$",
      description:
        "Must be names with `/` between them, of letters, digits and `!_.*'()=-`; no name is `.` or `..`.",
      examples: ['sluice/production'],
    }),
  ),
  access_key_id: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 128,
      pattern: '^[!-~]+$',
      description: 'Must be visible ASCII without blanks.',
      examples: ['AKIAIOSFODNN7EXAMPLE'],
    }),
  ),
  path_style: Type.Optional(
    Type.Boolean({ description: 'Whether the bucket is in the path of URLs, as most S3 services need.' }),
  ),
};
export const secret = {
  secret_access_key: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 256,
      pattern: '^[ -~]+$',
      description: 'Must be printable ASCII. It is kept encrypted, and never shown.',
    }),
  ),
};
export const TargetBody = Strict('NewArchiveTarget', { ...place, ...secret });
/** Without the secret. */
export const Place = Named('ArchiveTarget', place);
export type TargetBody = Static<typeof TargetBody>;

export type TargetSettings = Pick<ApiConfig, 'archiveFolder' | 'secretsKeys' | 'outboundAllow'>;

export const invalidTarget = (name: string, message: string) =>
  invalidAt(`/to${name && `/${name}`}`, name || 'to', message);

/** Where files go, with its secret sealed. Throws ApiError. */
export function toTarget({ kind, ...to }: TargetBody, config: TargetSettings): ArchiveTarget {
  if (kind === 'folder') {
    const [other] = Object.keys(to);
    if (other) throw invalidTarget(other, 'is for a bucket: a folder has no other members than kind');
    if (config.archiveFolder === undefined)
      throw invalidTarget(
        'kind',
        'folder is not possible here: the operator can set ARCHIVE_FOLDER, or send a bucket',
      );
    return { kind };
  }
  const { bucket, prefix, region, access_key_id: accessKeyId, path_style: pathStyle } = to;
  if (bucket === undefined) throw invalidTarget('bucket', 'is needed for s3');
  if (accessKeyId === undefined) throw invalidTarget('access_key_id', 'is needed for s3');
  if (to.secret_access_key === undefined) throw invalidTarget('secret_access_key', 'is needed for s3');
  if (/\.\.|\.-|-\.|^(\d+\.){3}\d+$/.test(bucket))
    throw invalidTarget(
      'bucket',
      'must be a name that S3 allows: without `..`, `.-`, `-.`, and not an IP address',
    );
  if (prefix?.split('/').some((part) => part === '.' || part === '..'))
    throw invalidTarget('prefix', 'must have no part `.` or `..`');
  const endpoint =
    to.endpoint === undefined ? undefined : toOutboundUrl(to.endpoint, config.outboundAllow, '/to/endpoint');
  return {
    kind,
    ...(endpoint !== undefined && { endpoint }),
    ...(region !== undefined && { region }),
    bucket,
    ...(prefix !== undefined && { prefix }),
    accessKeyId,
    secret: sealed(to.secret_access_key, config),
    ...(pathStyle !== undefined && { pathStyle }),
  };
}

/** Throws ApiError. */
export function sealed(secret: string, { secretsKeys }: TargetSettings): string {
  if (secretsKeys === undefined)
    throw invalidTarget(
      'kind',
      's3 is not possible here: the operator can set SECRETS_KEY, which keeps secrets encrypted',
    );
  return seal(secretsKeys, secret);
}
