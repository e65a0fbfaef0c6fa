import type { JobStore } from '@sluice/shared/store/jobs.ts';
import { quotaReached } from './answers.ts';

/** Throws ApiError when the owner has as many unfinished exports and imports as there may be. */
export type RefuseJobs = (ownerId: string) => Promise<void>;

export function createRefuseJobs(jobs: Pick<JobStore, 'unfinishedOfOwner'>, quota: number): RefuseJobs {
  return async (ownerId) => {
    if ((await jobs.unfinishedOfOwner(ownerId, quota)) < quota) return;
    throw quotaReached(
      `${quota} of your exports and imports are not finished yet, and there may be no more (JOB_QUOTA); wait for one or delete one; nothing was stored`,
    );
  };
}
