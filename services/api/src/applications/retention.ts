import { ApiError } from '@sluice/shared/errors.ts';
import { archivedBefore } from '@sluice/store/applications/application-document.ts';
import type { ApplicationRecord } from '@sluice/store/applications/applications.ts';
import type { ArchiveStore } from '@sluice/store/archives/archives.ts';
import { invalidAt } from '../http/refusals.ts';

const invalid = (message: string) => invalidAt('/archive', 'archive', message);

/** Throws ApiError where old entries cannot go into this archive; null: they are deleted. */
export async function checkArchive(
  archives: Pick<ArchiveStore, 'get'>,
  application: ApplicationRecord,
  id: string | null,
): Promise<void> {
  const { retentionArchive } = application;
  const before = archivedBefore(application);
  if (before && id !== retentionArchive)
    throw new ApiError(
      'ResourceConflictError',
      `entries before ${before.toISOString()} are in the archive ${retentionArchive} alone, so it cannot change: to keep all others, set retention_days to null`,
    );
  if (id === null) return;
  const archive = await archives.get(application.id, id);
  if (!archive || archive.asked)
    throw invalid(`names no archive of the application: ${id.slice(0, 40)} was not found`);
  if (archive.format !== 'ndjson')
    throw invalid(
      `must be an archive of the format ndjson, which alone keeps entries exactly: ${id} is ${archive.format}`,
    );
  if (archive.from !== 'beginning')
    throw invalid(`must be an archive from the beginning: ${id} is without the entries before it was made`);
}

/** Why a change was refused that `checkArchive` let pass. */
export const archiveChanged = () =>
  new ApiError(
    'ResourceConflictError',
    'the archive was deleted, or entries went into another one, at the same time: get the application, and try again',
  );
