import type { IncomingMessage } from 'node:http';
import type { JobQueue } from '@sluice/queues/job-queue.ts';
import { headerColumns } from '@sluice/schemas/csv/header.ts';
import { parseSchema } from '@sluice/schemas/parse-schema.ts';
import type { Formulas, ImportFormat } from '@sluice/shared/contracts/jobs.ts';
import { ApiError, applicationNotFound, unavailable } from '@sluice/shared/errors.ts';
import type { Logger } from '@sluice/shared/logger.ts';
import { repeat } from '@sluice/shared/repeat.ts';
import type { ApplicationRecord } from '@sluice/store/applications/applications.ts';
import type { Store } from '@sluice/store/connect.ts';
import type { ImportJob } from '@sluice/store/jobs/job-records.ts';
import type { Capacity } from '../limits/capacity.ts';
import type { Quotas } from '../limits/quota.ts';
import type { Compression } from './decompress.ts';
import { createReceive } from './receive.ts';

const touchEveryMs = 2_000;

export interface ImportRequest {
  format: ImportFormat;
  formulas: Formulas;
  encoding: Compression | undefined;
}

interface Dependencies {
  store: Pick<Store, 'jobs' | 'parts' | 'chunks' | 'leaves'>;
  queue: Pick<JobQueue, 'enqueue' | 'workers'>;
  /** Of the body as it comes, in bytes. */
  limit: number;
  lineLimit: number;
  quotas: Pick<Quotas, 'check' | 'checkEntries'>;
  /** Files that are arriving: each has its buffers, and may take hours. */
  capacity: Pick<Capacity, 'run'>;
  log: Logger;
}

/** Takes the file of an import, then commits it as a job and calls workers to it. Throws ApiError; then nothing is stored. */
export function createImport({ store, queue, limit, lineLimit, quotas, capacity, log }: Dependencies) {
  const { parts, chunks, leaves } = store;
  const { imports } = store.jobs;
  const receive = createReceive({ store, limit });

  /** Removes what came, unless it is whole after all. */
  async function discard(job: ImportJob): Promise<void> {
    if (!(await imports.dismiss(job.id)) && (await imports.over([job.id])).length === 0) return;
    await chunks.remove(job.id);
    await parts.sweep(job.id);
  }

  async function take(
    application: ApplicationRecord,
    job: ImportJob,
    encoding: Compression | undefined,
    request: IncomingMessage,
  ) {
    const { owner, options } = job;
    const recorded = options.format === 'csv' ? (await leaves.of(application.id)).pointers : [];
    let held = 0;
    let end: Error | undefined;
    const stopTouching = repeat(touchEveryMs, async () => {
      try {
        if (!(await imports.touch(job.id, held))) end = applicationNotFound(application.domain);
        await quotas.check('importBytes', owner);
      } catch (error) {
        // MongoDB may be back before the next chunk is stored.
        if (error instanceof ApiError) end = error;
      }
    });
    try {
      const received = await receive(request, {
        job,
        encoding,
        toColumns: (header) =>
          headerColumns(header, parseSchema(application.rawSchema), recorded, options.formulas),
        onProgress(bytes) {
          held = bytes;
          if (end) throw end;
        },
      });
      const whole = await imports.receive(job.id, received);
      if (!whole) throw applicationNotFound(application.domain);
      return whole;
    } finally {
      stopTouching();
    }
  }

  return async (
    application: ApplicationRecord,
    { format, formulas, encoding }: ImportRequest,
    request: IncomingMessage,
  ): Promise<ImportJob> => {
    // Now, not after gigabytes.
    await queue.workers().catch((error) => {
      throw unavailable('imports cannot be taken now: the queue is away', 5, error);
    });
    const { id, domain, owner } = application;
    await quotas.check('jobs', owner.id);
    await quotas.check('importBytes', owner.id);
    await quotas.checkEntries(owner.id);
    return capacity.run(owner.id, async () => {
      const options = { format, formulas, lineLimit };
      const job = await imports.create({ application: id, owner: owner.id, domain, options });
      try {
        const taken = await take(application, job, encoding, request);
        // The job is committed: what the queue misses now a sweep puts there.
        await queue
          .enqueue(taken)
          .catch((error) => log.warn({ event: 'queue.missed', job: job.id, reason: error.message }));
        log.info({ event: 'import.received', job: job.id, lines: taken.total });
        return taken;
      } catch (error) {
        log.info({ event: 'import.refused', job: job.id, reason: (error as Error).message });
        // Where that fails too, a sweep does it.
        await discard(job).catch((failure) =>
          log.warn({ event: 'import.undiscarded', job: job.id, err: failure }),
        );
        throw error;
      }
    });
  };
}
