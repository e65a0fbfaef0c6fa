import type { ChunkStore } from './chunks.ts';
import { isUncut, type JobRecord } from './job-records.ts';
import type { JobStore } from './jobs.ts';
import type { PartStore } from './parts.ts';

interface Stores {
  jobs: JobStore;
  parts: PartStore;
  chunks: ChunkStore;
}

/** Retries a failed job after its committed progress. Undefined: the job has changed meanwhile. */
export async function waitAgain(
  { jobs, parts, chunks }: Stores,
  job: JobRecord,
): Promise<JobRecord | undefined> {
  if (isUncut(job)) return jobs.retry(job, 'as it stands');
  if (job.kind === 'import' || job.kind === 'rehearsal') {
    await chunks.reopen(job.id);
    return jobs.retry(job, await chunks.totals(job.id));
  }
  // What a failed export had stored of its object is removed.
  if (job.kind === 'export' && job.target) return jobs.retry(job, 'without parts');
  const written = await jobs.partsOf(job.id);
  const isWhole = await parts.haveAll(written.map(({ id }) => id));
  return jobs.retry(job, isWhole ? 'as it stands' : 'without parts');
}
