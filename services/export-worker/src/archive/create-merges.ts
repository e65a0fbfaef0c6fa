import type { ArchiveJob } from '@sluice/jobs/record/archive-record.ts';
import type { ObjectStore } from '@sluice/objects/object-store.ts';
import type { Logger } from '@sluice/shared/logger.ts';
import type { ArchiveRecord } from '@sluice/store/archives/archive-records.ts';
import { mergeRuns } from './merge-runs.ts';
import { createPagesOf } from './read-run.ts';
import type { WriteRunOptions } from './write-run.ts';

interface Dependencies extends Pick<WriteRunOptions, 'store' | 'folder' | 'fileBytes'> {
  /** Opens what an archive stores its files in. Throws ObjectStoreError. */
  openObjects(archive: Pick<ArchiveRecord, 'to' | 'format'>): ObjectStore;
  log: Logger;
}

export type Merges = ReturnType<typeof createMerges>;

/** Merges files beside the jobs of this process, one archive at a time: a question waits for a run, and never for a merge. */
export function createMerges({ openObjects, log, ...options }: Dependencies) {
  const pagesOf = createPagesOf({ ...options, openObjects });
  const stopping = new AbortController();
  const waiting = new Set<string>();
  let last = Promise.resolve();

  async function merge(job: ArchiveJob, archive: ArchiveRecord): Promise<void> {
    waiting.delete(archive.id);
    const { signal } = stopping;
    if (signal.aborted) return;
    const objects = openObjects(archive);
    try {
      await mergeRuns(options, objects, { job, archive, read: pagesOf(job, archive), signal });
    } catch (error) {
      // A later run merges more.
      if (!signal.aborted) log.warn({ event: 'merge.failed', archive: archive.id, err: error });
    } finally {
      objects.close();
    }
  }

  return {
    /** Merges what the runs of an archive have stored, when its turn comes. */
    begin(job: ArchiveJob, archive: ArchiveRecord): void {
      if (waiting.has(archive.id)) return;
      waiting.add(archive.id);
      last = last.then(() => merge(job, archive));
    },

    async stop(): Promise<void> {
      stopping.abort();
      await last;
    },
  };
}
