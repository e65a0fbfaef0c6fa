import type { Logger } from '@sluice/shared/logger.ts';
import type { Store } from '@sluice/shared/store/connect.ts';
import type { ExportJob } from '@sluice/shared/store/job-records.ts';
import { Unexportable } from '../formats/unexportable.ts';
import type { UnknownLeaf } from '../formats/unknown-leaf.ts';

interface Dependencies {
  store: Pick<Store, 'leaves'>;
  log: Logger;
}

export type LeaveOut = ReturnType<typeof createLeaveOut>;

/**
 * Leaves an entry out that has a leaf without a column. A leaf that was recorded after the job began says that the
 * entry was uploaded after it; any other fails the export.
 */
export function createLeaveOut({ store: { leaves }, log }: Dependencies) {
  return async function leaveOut(job: ExportJob, unknown: UnknownLeaf): Promise<void> {
    const { pointers } = await leaves.of(job.application);
    if (pointers.indexOf(unknown.pointer) < job.leafCount) throw new Unexportable(unknown.message);
    log.info({ event: 'export.later', job: job.id });
  };
}
