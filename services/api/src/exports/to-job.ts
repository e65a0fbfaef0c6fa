import type { Job } from '@sluice/shared/contracts/jobs.ts';
import type { JobRecord } from '@sluice/shared/store/jobs.ts';

/** The record of a job as the owner sees it. */
export function toJob(record: JobRecord): Job {
  const { id, kind, state, done, total, bytes, createdAt, startedAt, finishedAt, error } = record;
  const url = `/api/applications/${record.domain}/exports/${id}/file`;
  return {
    id,
    kind,
    state,
    progress: { done, total },
    createdAt: createdAt.toISOString(),
    ...(startedAt && { startedAt: startedAt.toISOString() }),
    ...(finishedAt && { finishedAt: finishedAt.toISOString() }),
    ...(error && { error }),
    ...(state === 'completed' && { file: { url, bytes } }),
  };
}
