import { setTimeout as pause } from 'node:timers/promises';
import { createRecordLeaves } from '@sluice/shared/intake/record-leaves.ts';
import type { Logger } from '@sluice/shared/logger.ts';
import { Later } from '@sluice/shared/queues/consumer.ts';
import type { Compiler } from '@sluice/shared/schemas/compiler.ts';
import type { TakenChunk } from '@sluice/shared/store/chunks.ts';
import type { Store } from '@sluice/shared/store/connect.ts';
import { storeFault } from '@sluice/shared/store/faults.ts';
import type { ImportJob } from '@sluice/shared/store/job-records.ts';
import { createCompleteImport } from './complete-import.ts';
import { Conflict } from './conflict.ts';
import { holdChunk, Lost, leaseMs } from './hold-chunk.ts';
import { createProcessChunk, type Processed } from './process-chunk.ts';
import { createReaders } from './readers.ts';
import { createTurns } from './turns.ts';

/** Workers that began a chunk and were not heard of again, until its import is given up. */
const mostBarren = 10;
const firstPauseMs = 250;
const longestPauseMs = 10_000;

/** A chunk that could not be given back when MongoDB was away: nobody could take it until its lease is over. */
interface Owed {
  giveBack?: (() => Promise<void>) | undefined;
}

async function settle(owed: Owed): Promise<void> {
  await owed.giveBack?.();
  owed.giveBack = undefined;
}

interface Dependencies {
  store: Store;
  compiler: Compiler;
  retentionMs: number;
  log: Logger;
}

/** Does chunks of imports, whichever are next, until there is none to take. May be called in many processes at once. */
export function createImportChunks({ store, compiler, retentionMs, log }: Dependencies) {
  const { applications, chunks, entries, jobs, leaves, parts } = store;
  const { imports } = jobs;
  const turns = createTurns(store);
  const readerOf = createReaders({ leaves, compiler });
  const processChunk = createProcessChunk({ entries, recordLeaves: createRecordLeaves(leaves), log });
  const completeImport = createCompleteImport(store, retentionMs);
  const expiry = () => new Date(Date.now() + retentionMs);

  /** Its chunks and their parts stay, for a retry. */
  async function giveUp(job: ImportJob, reason: string): Promise<void> {
    if (await imports.fail(job, reason, expiry())) log.error({ event: 'import.failed', job: job.id, reason });
  }

  async function abandon(job: string): Promise<void> {
    await jobs.cancel(job, expiry());
    await parts.sweep(job);
  }

  async function commit(
    { id, fence, job, part, lines, bytes }: TakenChunk,
    done: Processed,
    counted: number,
  ) {
    const { accepted, rejected } = done;
    const report = done.report && { part: await parts.put(job, done.report.data), bytes: done.report.bytes };
    if (!(await chunks.commit(id, fence, { accepted, rejected, ...(report && { report }) })))
      throw new Lost();
    await parts.remove(part);
    await imports.advance(job, { done: lines - counted, accepted, rejected, released: bytes });
  }

  async function work(chunk: TakenChunk, job: ImportJob, signal: AbortSignal): Promise<void> {
    const application = await applications.byId(job.application);
    if (!application) return abandon(job.id);
    const [reader, data] = await Promise.all([readerOf(job, application), parts.get(chunk.part)]);
    if (!data) {
      if (await imports.isOver(job.id)) throw new Lost();
      throw new Conflict(`a piece of the file is missing, that of chunk ${chunk.seq}`);
    }
    const hold = holdChunk(store, chunk);
    try {
      const done = await processChunk({
        chunk,
        data,
        ...reader,
        check: hold.check,
        onTurn(lines) {
          if (signal.aborted) throw new Later(100);
          hold.note(lines);
        },
      });
      await hold.release();
      await commit(chunk, done, hold.counted());
    } finally {
      await hold.release();
    }
  }

  /** A chunk that ends otherwise than done is there again for the next one. */
  async function take(chunk: TakenChunk, signal: AbortSignal, owed: Owed): Promise<void> {
    const { id, fence, job: jobId, barren } = chunk;
    async function giveBack(restMs: number, fault: 'passing' | 'unknown'): Promise<void> {
      owed.giveBack = () => chunks.giveBack(id, fence, restMs, fault);
      await settle(owed).catch(() => undefined);
    }
    let job: ImportJob | undefined;
    try {
      // In this order: with a retry between them the chunk is no longer this worker's.
      job = await imports.begin(jobId);
      const [isHeld] = await Promise.all([chunks.begin(id, fence), store.turns.note('import', chunk.owner)]);
      if (!job || !isHeld) throw new Lost();
      if (barren >= mostBarren) throw new Conflict(`${barren} workers tried chunk ${chunk.seq} in vain`);
      await work(chunk, job, signal);
    } catch (error) {
      if (job && error instanceof Conflict) {
        await giveUp(job, error.message);
        return await giveBack(0, 'unknown');
      }
      if (error instanceof Lost || error instanceof Later) await giveBack(0, 'passing');
      else await giveBack(firstPauseMs, storeFault(error) ? 'passing' : 'unknown');
      throw error;
    }
  }

  /** True when all of an import was done, and it has ended now. */
  async function finish(id: string): Promise<boolean> {
    if (!(await chunks.areDone(id))) return false;
    const job = await imports.claimEnd(id, leaseMs);
    if (!job) return false;
    try {
      await completeImport(job);
      log.info({ event: 'import.completed', job: id });
    } catch (error) {
      if (!(error instanceof Conflict)) throw error;
      await giveUp(job, error.message);
    }
    return true;
  }

  /** Does what is next; false when there is nothing to do. */
  async function step(signal: AbortSignal, owed: Owed): Promise<boolean> {
    await settle(owed);
    for (const job of await turns()) {
      const chunk = await chunks.take(job, leaseMs);
      if (chunk) {
        await take(chunk, signal, owed);
        return true;
      }
      if (await finish(job)) return true;
    }
    return false;
  }

  return async function importChunks(_call: unknown, signal: AbortSignal): Promise<void> {
    const owed: Owed = {};
    for (let faults = 0; ; ) {
      if (signal.aborted) throw new Later(100);
      try {
        if (!(await step(signal, owed))) return;
        faults = 0;
      } catch (error) {
        if (error instanceof Later) throw error;
        if (error instanceof Lost) continue;
        log.warn({ event: 'import.interrupted', err: error });
        const pauseMs = Math.min(firstPauseMs * 2 ** faults, longestPauseMs);
        faults += 1;
        await pause(pauseMs, undefined, { signal }).catch(() => undefined);
      }
    }
  };
}
