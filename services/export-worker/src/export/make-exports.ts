import type { Logger } from '@sluice/shared/logger.ts';
import { Later } from '@sluice/shared/queues/consumer.ts';
import type { Store } from '@sluice/shared/store/connect.ts';
import { storeFault } from '@sluice/shared/store/faults.ts';
import type { ExportJob } from '@sluice/shared/store/job-records.ts';
import { isRetriable } from '@sluice/shared/store/retry.ts';
import { Defect, Unexportable } from '../formats/unexportable.ts';
import { createFileHashes } from './file-hashes.ts';
import { type Hold, leaseMs, startHold } from './hold.ts';
import { createWriteFile, Deleted } from './write-file.ts';

/** Workers that took a job without committing a part, until it is given up. */
const maxBarren = 10;
/** A streamed file is of no use once its client has it. */
const transientKeptMs = 15 * 60_000;
/** MongoDB was away: the job waits where it stands. */
const againMs = 1_000;

interface Dependencies {
  store: Store;
  retentionMs: number;
  log: Logger;
}

/**
 * Makes exports until none waits. What is delivered says only that there is one: whose turn it is, MongoDB tells.
 * May run twice, or die halfway: a job goes on after its last committed part.
 */
export function createMakeExports({ store, retentionMs, log }: Dependencies) {
  const { jobs, parts } = store;
  const hashes = createFileHashes(store);
  const writeFile = createWriteFile({ store, hashes, log });
  const expiry = (job: ExportJob) => new Date(Date.now() + (job.transient ? transientKeptMs : retentionMs));

  async function make(job: ExportJob, hold: Hold): Promise<void> {
    if (job.barren > maxBarren) throw new Defect(`${maxBarren} workers tried without success`);
    const manifest = await writeFile(job, hold);
    if (manifest === 'unfinished') {
      await jobs.giveBack(job.id, job.fence);
      log.info({ event: 'export.paused', job: job.id });
    } else if (await jobs.complete(job.id, job.fence, manifest, expiry(job))) {
      log.info({ event: 'export.completed', job: job.id, rows: manifest.rows });
    } else hold.lose();
  }

  /**
   * Removes what is no part of a file. While the job is not over for good a worker may store a part that is yet to
   * count; one that failed keeps what it has, for a retry, until it expires.
   */
  async function sweep(id: string): Promise<void> {
    const job = await jobs.get(id);
    if (job?.state === 'waiting' || job?.state === 'active') return;
    hashes.drop(id);
    if (job && isRetriable(job)) return;
    const kept = job?.state === 'completed' ? await jobs.partsOf(id) : [];
    await parts.sweep(
      id,
      kept.map((part) => part.id),
    );
  }

  async function take(job: ExportJob, signal: AbortSignal): Promise<void> {
    const { id, fence } = job;
    log.info({ event: 'export.began', job: id, fence, done: job.done });
    const hold = startHold({ jobs, job, signal });
    try {
      await make(job, hold);
    } catch (error) {
      if (error instanceof Deleted) await jobs.cancel(id, expiry(job));
      else if (error instanceof Unexportable) {
        const failure = { error: error.message, isDefect: error instanceof Defect };
        await jobs.fail(id, fence, failure, expiry(job));
        log.error({ event: 'export.failed', job: id, reason: error.message });
      } else if (!hold.isLost()) throw error;
    } finally {
      hold.end();
    }
    if (hold.isLost()) log.info({ event: 'export.lost', job: id, fence });
    await sweep(id);
  }

  return async function makeExports(_: unknown, signal: AbortSignal): Promise<void> {
    for (;;) {
      if (signal.aborted) throw new Later(100);
      try {
        const job = await jobs.exports.claim(leaseMs);
        if (!job) return;
        await take(job, signal);
      } catch (error) {
        if (storeFault(error) === undefined) throw error;
        log.warn({ event: 'export.interrupted', reason: (error as Error).message });
        throw new Later(againMs);
      }
    }
  };
}
