import type { Store } from '@sluice/jobs/connect.ts';
import type { JobQueue } from '@sluice/jobs/queue/producer.ts';

const atOnce = 500;

/** Starts the runs of archives that are due, and tries failed ones again. May run in many processes at once. */
export function createStartArchives(
  { applications, archives, jobs }: Pick<Store, 'applications' | 'archives' | 'jobs'>,
  queue: Pick<JobQueue, 'enqueue'>,
) {
  return async function startArchives(): Promise<void> {
    for (const { id: archive, application: of, run } of await archives.due(atOnce)) {
      const application = await applications.byId(of);
      if (!application) continue;
      const { id, domain, owner } = application;
      const options = { archive, run };
      const job = await jobs.archives.create({ application: id, owner: owner.id, domain, options });
      // Someone cancelled it: the next look makes another.
      if (job.state === 'cancelled') await jobs.remove(job.id);
      const waiting = job.state === 'failed' ? await jobs.retry(job, 'as it stands') : job;
      if (waiting?.state === 'waiting') await queue.enqueue(waiting);
    }
  };
}
