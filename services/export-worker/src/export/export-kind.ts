import type { Store } from '@sluice/jobs/connect.ts';
import {
  ApplicationDeleted,
  claimJob,
  type End,
  JobFailed,
  type JobKind,
  type Turn,
} from '@sluice/jobs/kind.ts';
import { Postpone } from '@sluice/jobs/queue/consumer.ts';
import type { ExportJob } from '@sluice/jobs/record/export-record.ts';
import type { Logger } from '@sluice/shared/logger.ts';
import { Defect, Unexportable } from '../formats/format.ts';
import { createFileHashes } from './file-hashes.ts';
import { createWriteFile, Deleted } from './write-file.ts';

/** A streamed file is of no use once its client has it. */
const transientKeptMs = 15 * 60_000;

interface Dependencies {
  store: Store;
  retentionMs: number;
  leaseMs: number;
  log: Logger;
}

/** Writes files of entries. A job goes on after its last committed part. */
export function exportKind({ store, retentionMs, leaseMs, log }: Dependencies): JobKind<ExportJob> {
  const hashes = createFileHashes(store);
  const writeFile = createWriteFile({ store, hashes, log });

  /** What a file that was not completed means for its job. */
  function toJobError(error: unknown): unknown {
    if (error instanceof Deleted) return new ApplicationDeleted();
    if (!(error instanceof Unexportable)) return error;
    return new JobFailed(error.message, { isDefect: error instanceof Defect });
  }

  async function make(job: ExportJob, turn: Turn): Promise<End> {
    const { id, fence, done } = job;
    log.info({ event: 'export.began', job: id, fence, done });
    try {
      const manifest = await writeFile(job, turn);
      if (manifest !== 'unfinished') return { manifest };
    } catch (error) {
      throw toJobError(error);
    }
    log.info({ event: 'export.paused', job: id });
    throw new Postpone();
  }

  return {
    kind: 'export',
    next: (job) => claimJob(store.jobs, job, leaseMs, make),
    keptMs: ({ transient }) => (transient ? transientKeptMs : retentionMs),
    onEnd: async (jobId) => hashes.drop(jobId),
  };
}
