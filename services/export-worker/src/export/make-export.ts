import { columnsOf } from '@sluice/shared/columns/columns.ts';
import type { Logger } from '@sluice/shared/logger.ts';
import { Later } from '@sluice/shared/queues/consumer.ts';
import type { Store } from '@sluice/shared/store/connect.ts';
import type { StoredEntry } from '@sluice/shared/store/entries.ts';
import type { EntryId } from '@sluice/shared/store/entry-id.ts';
import type { JobRecord } from '@sluice/shared/store/jobs.ts';
import type { Cell } from './cells.ts';
import { headerRow } from './csv.ts';
import { readEntries } from './read-entries.ts';
import { createRows, UnknownLeaf } from './rows.ts';
import { writePart } from './write-part.ts';

/** The first part is small, so that a client that waits has it soon. */
const firstRows = 200;
const maxRows = 20_000;
const maxBytes = 4 * 1024 ** 2;
/** Workers that took a job without committing a part, until it is given up. */
const maxBarren = 10;
/** A streamed file is of no use once its client has it. */
const transientKeptMs = 15 * 60_000;

interface Dependencies {
  store: Store;
  retentionMs: number;
  log: Logger;
}

/** The job was cancelled, or another worker has it. */
class Lost extends Error {}

/** Writes the file of an export, part by part, going on where a worker before it stopped. */
export function createMakeExport({ store, retentionMs, log }: Dependencies) {
  const { applications, entries, jobs, leaves, parts } = store;

  const expiry = (job: JobRecord) => new Date(Date.now() + (job.transient ? transientKeptMs : retentionMs));

  /** One entry at a time, with a look at where the reading stands. */
  async function* flatten(pages: AsyncGenerator<StoredEntry[]>) {
    for await (const page of pages) yield* page;
  }

  /** The application is deleted: whoever reads the file must not take it for whole. */
  async function abandon(job: JobRecord): Promise<Lost> {
    await jobs.cancel(job.id, expiry(job));
    return new Lost();
  }

  async function write(job: JobRecord, signal: AbortSignal): Promise<void> {
    const application = await applications.byId(job.application);
    if (!application) throw await abandon(job);
    const recorded = await leaves.of(job.application);
    const { columns: selected, formulas, from, to } = job.options;
    const columns = columnsOf(JSON.parse(application.rawSchema), recorded.pointers.slice(0, job.leafCount));
    const { header, toRow } = createRows({ columns, selected, formulas });
    const { cut } = job;
    // For the progress alone, so nothing waits for it; its failure is not the export's.
    if (cut && job.fence === 1) {
      entries
        .count(job.application, { from, to }, cut)
        .then((total) => jobs.setTotal(job.id, job.fence, total))
        .catch((error) => log.debug({ event: 'export.uncounted', job: job.id, reason: error.message }));
    }
    const source = cut
      ? flatten(readEntries(entries, job.application, { from, to, after: job.position, until: cut }))
      : undefined;

    let position: EntryId | undefined = job.position;
    let partCount = job.parts.length;
    let limit = partCount === 0 ? firstRows : maxRows;
    for (let ended = false; !ended; limit = Math.min(limit * 4, maxRows)) {
      if (signal.aborted) throw new Later(100);
      let rows = 0;
      let bytes = 0;
      async function* rowsOfPart(): AsyncGenerator<Cell[]> {
        if (partCount === 0) yield headerRow(header, formulas);
        while (rows < limit && bytes < maxBytes) {
          const next = await source?.next();
          if (!next || next.done) {
            ended = true;
            return;
          }
          rows += 1;
          position = next.value.id;
          yield toRow(next.value);
        }
      }
      const part = await writePart(rowsOfPart(), (written) => {
        bytes = written;
      });
      if (part.bytes === 0) break;
      const id = await parts.put(job.id, part.data);
      if (!(await jobs.commitPart(job.id, job.fence, { id, rows, bytes: part.bytes }, position)))
        throw new Lost();
      partCount += 1;
    }
    // A purge begins after the tombstone: without one now, no entry was missing from what was read.
    if (!(await applications.byId(job.application))) throw await abandon(job);
    if (!(await jobs.complete(job.id, job.fence, expiry(job)))) throw new Lost();
  }

  /** Removes what workers before this one left without committing it. */
  async function sweep(id: string): Promise<void> {
    const job = await jobs.get(id);
    await parts.sweep(id, job?.state === 'cancelled' ? [] : job?.parts.map((part) => part.id));
  }

  return async function makeExport({ jobId }: { jobId: string }, signal: AbortSignal): Promise<void> {
    const job = await jobs.claim(jobId);
    if (!job) return;
    const { fence, barren } = job;
    log.info({ event: 'export.began', job: jobId, fence, from: job.parts.length });
    try {
      if (barren > maxBarren) throw new Error(`${maxBarren} workers tried without success`);
      await write(job, signal);
      log.info({ event: 'export.completed', job: jobId });
    } catch (error) {
      if (error instanceof Lost) log.info({ event: 'export.lost', job: jobId, fence });
      else if (error instanceof UnknownLeaf || barren > maxBarren) {
        await jobs.fail(jobId, fence, (error as Error).message, expiry(job));
        log.error({ event: 'export.failed', job: jobId, err: error });
      } else throw error;
    }
    await sweep(jobId);
  };
}
