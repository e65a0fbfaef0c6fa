import {
  ApplicationDeleted,
  claimJob,
  type JobEnd,
  JobFailed,
  type JobKind,
  maxAttempts,
  type Turn,
} from '@sluice/jobs/kind.ts';
import type { ArchiveJob } from '@sluice/jobs/record/archive-record.ts';
import { type ObjectStore, ObjectStoreError } from '@sluice/objects/object-store.ts';
import type { Logger } from '@sluice/shared/logger.ts';
import type { ArchiveRecord } from '@sluice/store/archives/archive-records.ts';
import type { Merges } from './create-merges.ts';
import { isMergeDue } from './merging.ts';
import { createPagesOf } from './read-run.ts';
import { totalsOf, type WriteRunOptions, writeRun } from './write-run.ts';

interface Dependencies extends WriteRunOptions {
  /** Opens what an archive stores its files in. Throws ObjectStoreError. */
  openObjects(archive: Pick<ArchiveRecord, 'to' | 'format'>): ObjectStore;
  merges: Pick<Merges, 'begin'>;
  leaseMs: number;
  log: Logger;
}

/** Runs of archives: what came since the run before goes into files of an object store. */
export function archiveKind({
  openObjects,
  merges,
  leaseMs,
  log,
  ...options
}: Dependencies): JobKind<ArchiveJob> {
  const { archives, jobs } = options.store;
  const pagesOf = createPagesOf({ ...options, openObjects });

  async function make(job: ArchiveJob, turn: Turn): Promise<JobEnd> {
    const { id, fence, done } = job;
    log.info({ event: 'archive.began', job: id, fence, done });
    const archive = await archives.get(job.application, job.options.archive);
    // A deleted archive ends its runs like a deleted application does.
    if (!archive) throw new ApplicationDeleted();
    // Its last worker died between the end of the run and that of the job.
    if (archive.run !== job.options.run) return { result: { result: totalsOf(job.files, job.listed) } };
    try {
      const objects = openObjects(archive);
      const read = pagesOf(job, archive);
      const result = await writeRun(options, objects, { job, archive, read, turn }).finally(objects.close);
      if (archive.asked && isMergeDue(archive.run)) merges.begin(job, archive);
      return { result: { result } };
    } catch (error) {
      if (!(error instanceof ObjectStoreError || error instanceof JobFailed)) throw error;
      turn.checkLease();
      await archives.fail(archive, error.message);
      throw error instanceof JobFailed ? error : new JobFailed(error.message);
    }
  }

  return {
    kind: 'archive',
    async next(named) {
      const piece = await claimJob(jobs, named, leaseMs, make);
      if (piece && piece.attempts > maxAttempts) {
        const archive = await archives.get(named.application, named.options.archive);
        if (archive?.run === named.options.run)
          await archives.fail(archive, `${maxAttempts} workers tried without success: see their logs`);
      }
      return piece;
    },
  };
}
