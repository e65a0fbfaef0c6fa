import type { JobStore } from '@sluice/shared/store/jobs.ts';
import { quotaReached } from './answers.ts';

/** Throws ApiError when the owner has as many exports that are kept as there may be. */
export function createRefuseExports(jobs: Pick<JobStore, 'keptExportsOfOwner'>, quota: number) {
  return async (ownerId: string): Promise<void> => {
    if ((await jobs.keptExportsOfOwner(ownerId, quota)) < quota) return;
    throw quotaReached(
      `${quota} of your exports are kept, and there may be no more (STORED_EXPORT_QUOTA); delete one, wait until one expires, or stream the export`,
    );
  };
}
