import { queueOf } from '@sluice/jobs/queue/queues.ts';
import type { JobRecord } from '@sluice/jobs/record/job-records.ts';
import { unavailable } from '@sluice/shared/errors.ts';
import type { Dependencies } from '../dependencies.ts';

/**
 * Puts a job that was just committed to MongoDB on its queue; without the queue there is none: then it is cancelled, and an ApiError thrown. `what`
 * cannot be done, as the message says.
 */
export async function enqueueOrCancel<Job extends JobRecord>(
  { store: { jobs }, queues, log }: Pick<Dependencies, 'store' | 'queues' | 'log'>,
  job: Job,
  what: string,
): Promise<Job> {
  const { id, kind } = job;
  try {
    await queues[queueOf(kind).name].enqueue(job);
    return job;
  } catch (error) {
    log.warn({ event: `${kind}.refused`, job: id, reason: (error as Error).message });
    await jobs.cancel(id, new Date());
    throw unavailable(`${what} now: the queue is away`, 5, error);
  }
}
