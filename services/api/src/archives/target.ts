import type { ArchiveTarget, BucketTarget } from '@sluice/store/archives/archive-records.ts';
import { invalidTarget, sealed, type TargetBody, type TargetSettings } from '../http/target.ts';

/** The same place with a new key. Throws ApiError. */
export function withNewKey(
  before: ArchiveTarget,
  to: Partial<TargetBody>,
  config: TargetSettings,
): BucketTarget {
  if (before.kind === 'folder') throw invalidTarget('', 'cannot change: a folder has no key');
  const { access_key_id: accessKeyId, secret_access_key: secret, ...place } = to;
  const [other] = Object.keys(place);
  if (other)
    throw invalidTarget(
      other,
      'cannot change, only access_key_id and secret_access_key: create another archive',
    );
  if (secret === undefined) throw invalidTarget('secret_access_key', 'is needed for a new key');
  return { ...before, ...(accessKeyId !== undefined && { accessKeyId }), secret: sealed(secret, config) };
}

/** Whether two archives would mix their files. */
export function isSamePlace(one: ArchiveTarget, other: ArchiveTarget): boolean {
  if (one.kind === 'folder' || other.kind === 'folder') return one.kind === other.kind;
  return one.endpoint === other.endpoint && one.bucket === other.bucket && one.prefix === other.prefix;
}
