import type { Store } from '@sluice/jobs/connect.ts';
import { claimJob, type JobEnd, type JobKind, type Turn } from '@sluice/jobs/kind.ts';
import { Postpone } from '@sluice/jobs/queue/consumer.ts';
import type { ExportJob } from '@sluice/jobs/record/export-record.ts';
import type { Logger } from '@sluice/shared/logger.ts';
import { createFileHashes } from './commits.ts';
import type { ReadEntriesOptions } from './read-entries.ts';
import { createWriteFile } from './write-file.ts';

/** A streamed file is useless after its client has received it. */
const transientKeptMs = 15 * 60_000;

interface Dependencies extends ReadEntriesOptions {
  store: Store;
  retentionMs: number;
  leaseMs: number;
  log: Logger;
}

/** Writes files of entries. A job continues after its last committed part. */
export function exportKind({
  store,
  retentionMs,
  leaseMs,
  log,
  ...archived
}: Dependencies): JobKind<ExportJob> {
  const hashes = createFileHashes(store);
  const writeFile = createWriteFile({ store, hashes, log, ...archived });

  async function make(job: ExportJob, turn: Turn): Promise<JobEnd> {
    const { id, fence, done } = job;
    log.info({ event: 'export.began', job: id, fence, done });
    try {
      return { manifest: await writeFile(job, turn) };
    } catch (error) {
      if (error instanceof Postpone) log.info({ event: 'export.paused', job: id });
      throw error;
    }
  }

  return {
    kind: 'export',
    next: (job) => claimJob(store.jobs, job, leaseMs, make),
    keptMs: ({ transient }) => (transient ? transientKeptMs : retentionMs),
    onEnd: async (jobId) => hashes.drop(jobId),
  };
}
