import { type Allowed, everywhere } from '@sluice/shared/public-address.ts';
import { folderStore } from './folder-store.ts';
import { type ObjectStore, ObjectStoreError } from './object-store.ts';
import { type S3Target, s3Store } from './s3-store.ts';

export type StoreTarget = ({ kind: 's3' } & S3Target) | { kind: 'folder' };

/** The operator's ARCHIVE_FOLDER: a path, or a bucket. */
export type ArchiveFolder = string | S3Target;

/** `folder` is for targets without a bucket; the secret of `s3` is in plain text. Throws ObjectStoreError. */
export function openObjectStore(
  target: StoreTarget,
  { folder, allowed }: { folder: ArchiveFolder | undefined; allowed: Allowed },
): ObjectStore {
  if (target.kind === 's3') return s3Store(target, { allowed });
  if (!folder)
    throw new ObjectStoreError(
      'this server has no folder for archives: ask the operator to set ARCHIVE_FOLDER',
    );
  return openArchiveFolder(folder);
}

/** Its faults, which owners see, do not tell the key. */
export const openArchiveFolder = (folder: ArchiveFolder): ObjectStore =>
  typeof folder === 'string'
    ? folderStore(folder)
    : s3Store(folder, { allowed: everywhere, keyId: 'in ARCHIVE_ACCESS_KEY_ID' });
