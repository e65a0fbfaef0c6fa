import type { IncomingMessage } from 'node:http';
import type { Compression } from '@sluice/intake/receive/decode.ts';
import { receive } from '@sluice/intake/receive/receive.ts';
import type { ImportFormat, ImportJob } from '@sluice/jobs/record/job-records.ts';
import { parseSchema } from '@sluice/schemas/schema.ts';
import { ApiError, applicationNotFound, unavailable } from '@sluice/shared/errors.ts';
import { repeat } from '@sluice/shared/repeat.ts';
import type { ApplicationRecord } from '@sluice/store/applications/applications.ts';
import type { Formulas } from '@sluice/tables/csv/cell-json.ts';
import { createReadLayout } from '@sluice/tables/csv/header.ts';
import type { Dependencies } from '../dependencies.ts';
import { piecesOf } from '../http/body.ts';
import { patienceFor } from '../http/connections/slow-bodies.ts';
import { enqueueOrSweep } from '../jobs/steps.ts';

const touchEveryMs = 2_000;
/** More than an export writes around a payload. */
const wrapperBytes = 1_024;

interface ImportRequest {
  format: ImportFormat;
  formulas: Formulas;
  encoding: Compression | undefined;
  isWrapped: boolean;
  /** Names of columns for a CSV without a header. */
  columns: string | undefined;
  fileName?: string | undefined;
}

/** Receives the file of an import, then commits its job and wakes workers. Throws ApiError, and then stores nothing. */
export function createImport(dependencies: Dependencies) {
  const { store, queues, quotas, capacity, config, log } = dependencies;
  const { parts, chunks } = store;
  const { imports, chunked } = store.jobs;

  async function discard(job: ImportJob): Promise<void> {
    if (!(await chunked.dismiss(job.id)) && (await chunked.over([job.id])).length === 0) return;
    await chunks.remove(job.id);
    await parts.sweep(job.id);
  }

  async function take(
    application: ApplicationRecord,
    job: ImportJob,
    { encoding, columns }: Pick<ImportRequest, 'encoding' | 'columns'>,
    request: IncomingMessage,
  ) {
    const { owner, options } = job;
    const schema = parseSchema(application.rawSchema);
    let storedBytes = 0;
    let end: Error | undefined;
    const stopTouching = repeat(touchEveryMs, async () => {
      try {
        if (!(await imports.touch(job.id, storedBytes))) end = applicationNotFound(application.domain);
        await quotas.check('importBytes', owner);
      } catch (error) {
        // Other errors pass: MongoDB may be back before the next chunk.
        if (error instanceof ApiError) end = error;
      }
    });
    try {
      const received = await receive(
        parts,
        piecesOf(request, config.importLimit, patienceFor(request)),
        config.importLimit,
        {
          job,
          encoding,
          readLayout: createReadLayout({ schema, formulas: options.formulas, names: columns }),
          add: chunks.add,
          onProgress(bytes) {
            storedBytes = bytes;
            if (end) throw end;
          },
        },
      );
      const whole = await imports.receive(job.id, received);
      if (!whole) throw applicationNotFound(application.domain);
      return whole;
    } finally {
      stopTouching();
    }
  }

  return async (
    application: ApplicationRecord,
    { format, formulas, isWrapped, fileName, ...reading }: ImportRequest,
    request: IncomingMessage,
  ): Promise<ImportJob> => {
    // Checked before gigabytes arrive.
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
        ...(fileName && { fileName }),
      };
      const job = await imports.create({ application: id, owner: owner.id, domain, options });
      try {
        const taken = await take(application, job, reading, request);
        await enqueueOrSweep(dependencies, taken);
        log.info({ event: 'import.received', job: job.id, lines: taken.total });
        return taken;
      } catch (error) {
        log.info({ event: 'import.refused', job: job.id, reason: (error as Error).message });
        // If this fails too, a sweep removes the file.
        await discard(job).catch((failure) =>
          log.warn({ event: 'import.undiscarded', job: job.id, err: failure }),
        );
        throw error;
      }
    });
  };
}
