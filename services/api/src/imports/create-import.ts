import type { IncomingMessage } from 'node:http';
import type { ImportFormat, ImportJob } from '@sluice/jobs/record/chunked-records.ts';
import { parseSchema } from '@sluice/schemas/parse-schema.ts';
import { ApiError, applicationNotFound, unavailable } from '@sluice/shared/errors.ts';
import { repeat } from '@sluice/shared/repeat.ts';
import type { ApplicationRecord } from '@sluice/store/applications/applications.ts';
import type { Formulas } from '@sluice/tables/csv/cell-json.ts';
import { readHeader } from '@sluice/tables/csv/header.ts';
import type { Dependencies } from '../dependencies.ts';
import type { Compression } from '../http/decompress.ts';
import { createReceive } from './receive.ts';

const touchEveryMs = 2_000;
/** What an export writes around a payload is shorter. */
const wrapperBytes = 1_024;

export interface ImportRequest {
  format: ImportFormat;
  formulas: Formulas;
  encoding: Compression | undefined;
  isWrapped: boolean;
}

/** Takes the file of an import, then commits it as a job and calls workers to it. Throws ApiError; then nothing is stored. */
type Needs = 'store' | 'queues' | 'quotas' | 'capacity' | 'config' | 'log';

export function createImport({ store, queues, quotas, capacity, config, log }: Pick<Dependencies, Needs>) {
  const { parts, chunks, fields } = store;
  const { imports, chunked } = store.jobs;
  const receive = createReceive(store, config.importLimit);

  /** Removes what came, unless it is whole after all. */
  async function discard(job: ImportJob): Promise<void> {
    if (!(await chunked.dismiss(job.id)) && (await chunked.over([job.id])).length === 0) return;
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
    const recorded = options.format === 'csv' ? (await fields.of(application.id)).pointers : [];
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
        toLayout: (header) =>
          readHeader(header, parseSchema(application.rawSchema), recorded, options.formulas),
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
    { format, formulas, encoding, isWrapped }: ImportRequest,
    request: IncomingMessage,
  ): Promise<ImportJob> => {
    // Now, not after gigabytes.
    await queues.jobs.workers().catch((error) => {
      throw unavailable('imports cannot be taken now: the queue is away', 5, error);
    });
    const { id, domain, owner } = application;
    await quotas.check('jobs', owner.id);
    await quotas.check('importBytes', owner.id);
    await quotas.checkEntries(owner.id);
    return capacity.imports.run(owner.id, async () => {
      const lineLimit = config.bodyLimit + (isWrapped ? wrapperBytes : 0);
      const options = {
        version: application.version,
        format,
        formulas,
        lineLimit,
        ...(isWrapped && { isWrapped }),
      };
      const job = await imports.create({ application: id, owner: owner.id, domain, options });
      try {
        const taken = await take(application, job, encoding, request);
        // The job is committed: what the queue misses now a sweep puts there.
        await queues.jobs
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
