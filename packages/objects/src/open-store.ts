import type { Allowed } from '@sluice/shared/public-address.ts';
import { folderStore } from './folder-store.ts';
import { type ObjectStore, ObjectStoreError } from './object-store.ts';
import { type Bucket, s3Store } from './s3-store.ts';

export type StorePlace = (Bucket & { kind: 's3' }) | { kind: 'folder' };

/** Throws ObjectStoreError. */
export function openStore(
  place: StorePlace,
  { folder, allowed }: { folder: string | undefined; allowed: Allowed },
): ObjectStore {
  if (place.kind === 's3') return s3Store(place, allowed);
  if (!folder)
    throw new ObjectStoreError('this worker has no folder for archives: the operator sets ARCHIVE_FOLDER');
  return folderStore(folder);
}
