import type { Logger } from '@sluice/shared/logger.ts';
import type { Store } from './connect.ts';

const atOnce = 500;
/** A part without a record that is this old belongs to no job. */
const orphanMs = 3_600_000;
const orphansEveryMs = 600_000;

/** Removes jobs whose API died while it created them, unfinished files, expired jobs, and chunks and parts without a job. May run in many processes at once. */
export function createClean({ jobs, parts, chunks }: Pick<Store, 'jobs' | 'parts' | 'chunks'>, log: Logger) {
  const { chunked } = jobs;
  let orphansAt = performance.now();

  async function remove(id: string): Promise<void> {
    await parts.sweep(id);
    await chunks.remove(id);
  }

  /** Removes parts of removed jobs: a worker stored them late, or died before it removed them. */
  async function removeOrphans(): Promise<void> {
    if (performance.now() < orphansAt) return;
    orphansAt = performance.now() + orphansEveryMs;
    for (const id of await parts.orphaned(new Date(Date.now() - orphanMs), atOnce)) await parts.sweep(id);
  }

  return async function clean(): Promise<void> {
    for (const id of await chunked.stranded(atOnce)) {
      if (!(await chunked.removeStranded(id))) continue;
      await remove(id);
      log.info({ event: 'job.stranded', job: id });
    }
    const now = new Date();
    for (const { id, kind } of await jobs.expired(now, atOnce)) {
      if (!(await jobs.removeExpired(id, now))) continue;
      await remove(id);
      log.info({ event: `${kind}.expired`, job: id });
    }
    const withChunks = await chunks.jobs();
    for (const id of await chunked.failed(withChunks)) await chunks.dropTimes(id);
    for (const id of await chunked.over(withChunks)) await chunks.removeIdle(id);
    await removeOrphans();
  };
}
