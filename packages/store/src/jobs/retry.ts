import { ObjectId, type UpdateFilter } from 'mongodb';
import type { JobDocument, JobRecord } from './job-records.ts';

/** Whether a worker may still have something to do for it. */
export const isUnfinished = (job: JobRecord | undefined): boolean =>
  job?.state === 'waiting' || job?.state === 'active';

/** Whether a job that is in this state for good now can be tried again. Who asked for a streamed file is gone. */
export const isRetriable = (job: JobRecord): boolean =>
  job.state === 'failed' && !(job.kind === 'export' && job.transient);

/** A failed job, unless it was tried again since it had this fence. */
export const fromFailed = ({ id, fence }: Pick<JobRecord, 'id' | 'fence'>) => ({
  _id: new ObjectId(id),
  state: 'failed' as const,
  fence,
});

/** The one change with which a failed job waits again. Whoever had it before can write no more. */
export function waitAgain<Document extends JobDocument>(
  standing: Partial<Document>,
  without: (keyof Document)[] = [],
): UpdateFilter<Document> {
  const gone = ['error', 'isDefect', 'finishedAt', 'expiresAt', 'leaseUntil', 'rate', ...without];
  return {
    $set: { ...standing, state: 'waiting', attempts: 0 },
    $inc: { fence: 1 },
    $currentDate: { queuedAt: true, touchedAt: true },
    $unset: Object.fromEntries(gone.map((field) => [field, ''])),
  } as unknown as UpdateFilter<Document>;
}
