import type { Allowed } from '@sluice/shared/public-address.ts';
import { folderStore } from './folder-store.ts';
import { type ObjectStore, ObjectStoreError } from './object-store.ts';
import { type S3Target, s3Store } from './s3-store.ts';

export type StoreTarget = ({ kind: 's3' } & S3Target) | { kind: 'folder' };

/** `folder` is the operator's ARCHIVE_FOLDER; the secret of `s3` is in plain text. Throws ObjectStoreError. */
export function openObjectStore(
  target: StoreTarget,
  { folder, allowed }: { folder: string | undefined; allowed: Allowed },
): ObjectStore {
  if (target.kind === 's3') return s3Store(target, { allowed });
  if (!folder)
    throw new ObjectStoreError(
      'this server has no folder for archives: ask the operator to set ARCHIVE_FOLDER',
    );
  return folderStore(folder);
}
