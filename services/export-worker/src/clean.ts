import type { Store } from '@sluice/jobs/connect.ts';
import type { Logger } from '@sluice/shared/logger.ts';

const atOnce = 500;
/** A part without a record that is this old belongs to no job. */
const orphanMs = 3_600_000;
const orphansEveryMs = 600_000;

interface Dependencies {
  store: Pick<Store, 'jobs' | 'parts'>;
  log: Logger;
}

/** Removes expired exports, and parts without a job. */
export function createClean({ store: { jobs, parts }, log }: Dependencies) {
  let orphansAt = performance.now();

  /** Removes parts of removed jobs: a worker stored them late, or died before it removed them. */
  async function removeOrphans(): Promise<void> {
    if (performance.now() < orphansAt) return;
    orphansAt = performance.now() + orphansEveryMs;
    for (const id of await parts.orphaned(new Date(Date.now() - orphanMs), atOnce)) await parts.sweep(id);
  }

  return async function clean(): Promise<void> {
    const now = new Date();
    for (const id of await jobs.expired('export', now, atOnce)) {
      if (!(await jobs.removeExpired(id, now))) continue;
      await parts.sweep(id);
      log.info({ event: 'export.expired', job: id });
    }
    await removeOrphans();
  };
}
