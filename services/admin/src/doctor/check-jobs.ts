import type { Store } from '@sluice/jobs/connect.ts';
import type { JobRecord } from '@sluice/jobs/record/job-records.ts';
import { type Finding, ok, warn } from './finding.ts';

const stuckMs = 600_000;

/** Finds jobs that have waited too long for a worker. */
export async function jobs(
  { jobs: records }: Pick<Store, 'jobs'>,
  kind: JobRecord['kind'],
): Promise<Finding> {
  const [oldest, ...others] = await records.forgotten([kind], stuckMs);
  if (!oldest) return ok('none waits for more than 10 min');
  const minutes = Math.round((Date.now() - oldest.queuedAt.getTime()) / 60_000);
  return warn(
    `${others.length + 1} wait for more than 10 min, ${oldest.id} for ${minutes} min: look at \`sluice-admin queues\`, start more ${kind === 'export' ? 'export' : 'ingest'} workers`,
  );
}
