import { type ObjectStore, ObjectStoreError } from '@sluice/objects/object-store.ts';
import { type ArchiveFolder, openObjectStore } from '@sluice/objects/open-store.ts';
import type { Allowed } from '@sluice/shared/public-address.ts';
import { unseal } from '@sluice/shared/seal.ts';
import type { ArchiveRecord, BucketTarget } from '@sluice/store/archives/archive-records.ts';

interface ArchiveSettings {
  secretsKeys?: string[] | undefined;
  archiveFolder?: ArchiveFolder | undefined;
  outboundAllow: Allowed;
}

/** Opens what an archive stores its files in. Throws ObjectStoreError. */
export const archiveOpener =
  ({ secretsKeys = [], archiveFolder, outboundAllow }: ArchiveSettings) =>
  ({ to }: Pick<ArchiveRecord, 'to'>): ObjectStore =>
    openObjectStore(to.kind === 's3' ? { ...to, secretAccessKey: secretOf(to, secretsKeys) } : to, {
      folder: archiveFolder,
      allowed: outboundAllow,
    });

function secretOf({ secret, bucket }: BucketTarget, secretsKeys: string[]): string {
  try {
    return unseal(secretsKeys, secret);
  } catch {
    throw new ObjectStoreError(
      `the key of the bucket ${bucket} cannot be decrypted: the operator adds the old secret to SECRETS_KEY, or the archive gets its key again`,
    );
  }
}
