import { archivedBefore } from '@sluice/store/applications/application-document.ts';
import type { ApplicationRecord } from '@sluice/store/applications/applications.ts';
import Type from 'typebox';
import { DateTime } from './schemas.ts';

export const ArchivedBefore = Type.Optional(
  DateTime(
    'Older entries may be in the archive of the application alone. Exports read it, all else does not. Absent: there are none.',
  ),
);

/** For answers that are without what is in an archive alone. */
export function toArchivedBefore(record: Pick<ApplicationRecord, 'archivedUntil'>): {
  archived_before?: string;
} {
  const before = archivedBefore(record);
  return before ? { archived_before: before.toISOString() } : {};
}
