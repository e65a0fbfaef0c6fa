import type { Store } from '@sluice/jobs/connect.ts';
import type { JobQueue } from '@sluice/jobs/queue/producer.ts';
import type { ArchiveJob } from '@sluice/jobs/record/archive-record.ts';

const atOnce = 500;

/** Starts the runs of archives that are due, and tries failed ones again. May run in many processes at once. */
export function createStartArchives(
  { applications, archives, jobs }: Pick<Store, 'applications' | 'archives' | 'jobs'>,
  queue: Pick<JobQueue, 'enqueue'>,
) {
  async function make(of: string, options: ArchiveJob['options']): Promise<ArchiveJob | undefined> {
    const application = await applications.byId(of);
    if (!application) return undefined;
    const { id, domain, owner } = application;
    return jobs.archives.create({ application: id, owner: owner.id, domain, options });
  }

  return async function startArchives(): Promise<void> {
    for (const { id: archive, application, run } of await archives.due(atOnce)) {
      const options = { archive, run };
      const found = await jobs.archives.ofRun(options);
      // Someone cancelled it: the next look makes another.
      if (found?.state === 'cancelled') await jobs.remove(found.id);
      const isFailed = found?.state === 'failed';
      const started = isFailed
        ? await jobs.retry(found, 'as it stands')
        : !found && (await make(application, options));
      if (started) await queue.enqueue(started);
    }
  };
}
