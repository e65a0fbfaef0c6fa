import type { Store } from '@sluice/jobs/connect.ts';
import {
  ApplicationDeleted,
  claimJob,
  type JobEnd,
  JobFailed,
  type JobKind,
  type Turn,
} from '@sluice/jobs/kind.ts';
import { Postpone } from '@sluice/jobs/queue/consumer.ts';
import type { ExportJob } from '@sluice/jobs/record/export-record.ts';
import { objectNameOf } from '@sluice/jobs/record/file-name.ts';
import { isUnfinished } from '@sluice/jobs/record/job-records.ts';
import { type ObjectStore, ObjectStoreError } from '@sluice/objects/object-store.ts';
import type { Logger } from '@sluice/shared/logger.ts';
import type { ArchiveTarget } from '@sluice/store/archives/archive-records.ts';
import { LeaseLost } from '@sluice/store/under-lease.ts';
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
  openObjects,
  folder,
  retentionMs,
  leaseMs,
  log,
}: Dependencies): JobKind<ExportJob> {
  const hashes = createFileHashes();
  const writeFile = createWriteFile({ store, openObjects, folder, hashes, log });

  /** Makes an object of the file. Nothing is left of it when nobody goes on. */
  async function makeObject(job: ExportJob, target: ArchiveTarget, turn: Turn): Promise<JobEnd> {
    let upload = job.upload?.id;
    let objects: ObjectStore | undefined;
    try {
      const { inParts, ...others } = openObjects({ to: target, format: job.options.format });
      const begin = async (name: string) => (upload = await inParts.begin(name));
      objects = { ...others, inParts: { ...inParts, begin } };
      const manifest = await writeFile(job, turn, objects);
      return { manifest, result: { parts: [], done: manifest.rows, total: manifest.rows } };
    } catch (error) {
      const fault = error instanceof ObjectStoreError ? new JobFailed(error.message) : error;
      const isOver =
        fault instanceof LeaseLost
          ? !isUnfinished(await store.jobs.get(job.id))
          : fault instanceof JobFailed || fault instanceof ApplicationDeleted;
      // Of a lost lease another worker may go on.
      if (!(fault instanceof LeaseLost)) turn.checkLease();
      if (isOver && upload) await objects?.inParts.abandon(objectNameOf(job), upload).catch(noteLeft(job));
      throw fault;
    } finally {
      objects?.close();
    }
  }

  const noteLeft = (job: ExportJob) => (error: Error) =>
    log.warn({ event: 'export.left', job: job.id, reason: error.message });

  /** Removes what a cancelled or failed export has left where it was to go. */
  async function clear(job: ExportJob, target: ArchiveTarget): Promise<void> {
    const objects = openObjects({ to: target, format: job.options.format });
    try {
      const name = objectNameOf(job);
      if (job.upload) await objects.inParts.abandon(name, job.upload.id);
      // A failed one may be retried meanwhile.
      if (job.state === 'cancelled') await objects.remove(name);
    } finally {
      objects.close();
    }
  }

  async function make(job: ExportJob, turn: Turn): Promise<JobEnd> {
    const { id, fence, done } = job;
    log.info({ event: 'export.began', job: id, fence, done });
    try {
      if (job.target) return await makeObject(job, job.target, turn);
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
    async onEnd(jobId, state) {
      hashes.drop(jobId);
      if (state !== 'cancelled' && state !== 'failed') return;
      const job = await store.jobs.get(jobId);
      if (job?.kind === 'export' && job.target && job.startedAt && job.state === state)
        await clear(job, job.target).catch(noteLeft(job));
    },
  };
}
