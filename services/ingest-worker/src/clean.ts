import type { Store } from '@sluice/jobs/connect.ts';
import { jobKinds } from '@sluice/jobs/record/job.ts';
import type { Logger } from '@sluice/shared/logger.ts';

const atOnce = 500;
/** The kinds of ingest workers. */
const kinds = jobKinds.filter((kind) => kind !== 'export');

interface Dependencies {
  store: Pick<Store, 'jobs' | 'parts' | 'chunks'>;
  log: Logger;
}

/** Removes abandoned jobs, expired jobs, and chunks of ended jobs. May run in many processes at once. */
export function createClean({ store: { jobs, parts, chunks }, log }: Dependencies) {
  const { chunked } = jobs;

  async function remove(id: string): Promise<void> {
    await parts.sweep(id);
    await chunks.remove(id);
  }

  return async function clean(): Promise<void> {
    for (const id of await chunked.stranded(atOnce)) {
      if (await chunked.dismiss(id)) await remove(id);
      log.info({ event: 'job.stranded', job: id });
    }
    const now = new Date();
    for (const kind of kinds)
      for (const id of await jobs.expired(kind, now, atOnce)) {
        if (!(await jobs.removeExpired(id, now))) continue;
        await remove(id);
        log.info({ event: `${kind}.expired`, job: id });
      }
    const withChunks = await chunks.jobs();
    for (const id of await chunked.failed(withChunks)) await chunks.dropTimes(id);
    for (const id of await chunked.over(withChunks)) await chunks.removeIdle(id);
  };
}
