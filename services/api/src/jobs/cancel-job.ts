import type { JobStore } from '@sluice/store/jobs/jobs.ts';

/** A cancelled job can be looked at for a while. */
const keptMs = 3_600_000;

/** False when the job was over before. */
export const cancelJob = (jobs: JobStore, id: string): Promise<boolean> =>
  jobs.cancel(id, new Date(Date.now() + keptMs));
