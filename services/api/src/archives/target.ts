import type { ApiConfig } from '@sluice/shared/config/load.ts';
import { seal } from '@sluice/shared/seal.ts';
import type { ArchiveTarget, BucketTarget } from '@sluice/store/archives/archive-records.ts';
import { toOutboundUrl } from '../http/outbound-url.ts';
import { invalidAt } from '../http/refusals.ts';
import type { TargetBody } from './contract.ts';

type Settings = Pick<ApiConfig, 'archiveFolder' | 'secretsKeys' | 'outboundAllow'>;

const invalid = (name: string, message: string) =>
  invalidAt(`/to${name && `/${name}`}`, name || 'to', message);

/** Where an archive goes, with its secret sealed. Throws ApiError. */
export function toTarget({ kind, ...to }: TargetBody, config: Settings): ArchiveTarget {
  if (kind === 'folder') {
    const [other] = Object.keys(to);
    if (other) throw invalid(other, 'is for a bucket: a folder has no other members than kind');
    if (config.archiveFolder === undefined)
      throw invalid(
        'kind',
        'folder is not possible here: the operator can set ARCHIVE_FOLDER, or send a bucket',
      );
    return { kind };
  }
  const { bucket, prefix, region, access_key_id: accessKeyId, path_style: pathStyle } = to;
  if (bucket === undefined) throw invalid('bucket', 'is needed for s3');
  if (accessKeyId === undefined) throw invalid('access_key_id', 'is needed for s3');
  if (to.secret_access_key === undefined) throw invalid('secret_access_key', 'is needed for s3');
  if (/\.\.|\.-|-\.|^(\d+\.){3}\d+$/.test(bucket))
    throw invalid('bucket', 'must be a name that S3 allows: without `..`, `.-`, `-.`, and not an IP address');
  if (prefix?.split('/').some((part) => part === '.' || part === '..'))
    throw invalid('prefix', 'must have no part `.` or `..`');
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

function sealed(secret: string, { secretsKeys }: Settings): string {
  if (secretsKeys === undefined)
    throw invalid(
      'kind',
      's3 is not possible here: the operator can set SECRETS_KEY, which keeps secrets encrypted',
    );
  return seal(secretsKeys, secret);
}

/** The same place with a new key. Throws ApiError. */
export function withNewKey(before: ArchiveTarget, to: Partial<TargetBody>, config: Settings): BucketTarget {
  if (before.kind === 'folder') throw invalid('', 'cannot change: a folder has no key');
  const { access_key_id: accessKeyId, secret_access_key: secret, ...place } = to;
  const [other] = Object.keys(place);
  if (other)
    throw invalid(other, 'cannot change, only access_key_id and secret_access_key: create another archive');
  if (secret === undefined) throw invalid('secret_access_key', 'is needed for a new key');
  return { ...before, ...(accessKeyId !== undefined && { accessKeyId }), secret: sealed(secret, config) };
}

/** Whether two archives would mix their files. */
export function isSamePlace(one: ArchiveTarget, other: ArchiveTarget): boolean {
  if (one.kind === 'folder' || other.kind === 'folder') return one.kind === other.kind;
  return one.endpoint === other.endpoint && one.bucket === other.bucket && one.prefix === other.prefix;
}
