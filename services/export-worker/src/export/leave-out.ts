import type { Store } from '@sluice/jobs/connect.ts';
import type { ExportJob } from '@sluice/jobs/record/export-record.ts';
import type { Logger } from '@sluice/shared/logger.ts';
import { largeNumbers } from '@sluice/store/applications/fields.ts';
import { UnknownField, Unrepresentable } from '../formats/format.ts';

interface Dependencies {
  store: Pick<Store, 'fields'>;
  log: Logger;
}

/** Adds an entry. Returns the error where it has something that is in no column, and may have come later than these. */
export function addUnlessLate(
  add: (document: Buffer) => void,
  document: Buffer,
): UnknownField | Unrepresentable | undefined {
  try {
    add(document);
    return undefined;
  } catch (error) {
    if (error instanceof UnknownField || (error instanceof Unrepresentable && error.isLate)) return error;
    throw error;
  }
}

export type LeaveOut = ReturnType<typeof createLeaveOut>;

/**
 * Leaves an entry out that has a leaf without a column, or a number that its column does not hold. What was put on record after
 * the job began says that the entry was uploaded after it; any other fails the export.
 */
export function createLeaveOut({ store: { fields }, log }: Dependencies) {
  return async function leaveOut(job: ExportJob, unknown: UnknownField | Unrepresentable): Promise<void> {
    const { pointers, hasLarge } = await fields.of(job.application);
    const isLater =
      unknown instanceof UnknownField
        ? pointers.indexOf(unknown.pointer) >= job.leafCount
        : hasLarge && job.hasLarge === false;
    if (!isLater) {
      // An API process of an earlier version does not put it on record; the next export is to look for it.
      if (unknown instanceof Unrepresentable) await fields.add(job.application, [largeNumbers]);
      throw unknown;
    }
    log.info({ event: 'export.later', job: job.id });
  };
}
