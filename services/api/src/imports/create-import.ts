import type { IncomingMessage } from 'node:http';
import type { Compression } from '@sluice/intake/receive/decode.ts';
import { receive } from '@sluice/intake/receive/receive.ts';
import type { ImportJob } from '@sluice/jobs/record/job-records.ts';
import { parseSchema } from '@sluice/schemas/schema.ts';
import { ApiError, applicationNotFound, unavailable } from '@sluice/shared/errors.ts';
import { repeat } from '@sluice/shared/repeat.ts';
import type { ApplicationRecord } from '@sluice/store/applications/applications.ts';
import { createReadLayout } from '@sluice/tables/csv/header.ts';
import type { Dependencies } from '../dependencies.ts';
import { piecesOf } from '../http/body.ts';
import { patienceFor } from '../http/connections/slow-bodies.ts';
import { enqueueOrSweep } from '../jobs/steps.ts';
import type { Quotas } from '../limits/quota.ts';
import type { ImportRequest } from './options.ts';

const touchEveryMs = 2_000;
/** More than an export writes around a payload. */
const wrapperBytes = 1_024;

type Encoded = ImportRequest & { encoding: Compression | undefined };

/** The job as it is created. */
export function newImport(
  { id, domain, owner, version }: ApplicationRecord,
  { format, formulas, isWrapped, fileName }: ImportRequest,
  bodyLimit: number,
) {
  const options = {
    version,
    format,
    formulas,
    lineLimit: bodyLimit + (isWrapped ? wrapperBytes : 0),
    ...(isWrapped && { isWrapped }),
    ...(fileName && { fileName }),
  };
  return { application: id, owner: owner.id, domain, options };
}

/** Throws ApiError when an owner has reached a quota of imports. */
export async function checkImportQuotas(quotas: Quotas, owner: string): Promise<void> {
  await quotas.check('jobs', owner);
  await quotas.check('importBytes', owner);
  await quotas.checkEntries(owner);
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
    { encoding, columns }: Encoded,
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
          add: (chunk) => chunks.add(chunk),
          onProgress(bytes) {
            storedBytes = bytes;
            if (end) throw end;
          },
        },
      );
      const whole = await imports.receive(job, received);
      if (!whole) throw applicationNotFound(application.domain);
      return whole;
    } finally {
      stopTouching();
    }
  }

  return async (
    application: ApplicationRecord,
    given: Encoded,
    request: IncomingMessage,
  ): Promise<ImportJob> => {
    // Checked before gigabytes arrive.
    await queues.jobs.workers().catch((error) => {
      throw unavailable('imports cannot be taken now: the queue is away', 5, error);
    });
    const { owner } = application;
    await checkImportQuotas(quotas, owner.id);
    return capacity.imports.run(owner.id, async () => {
      const job = await imports.create(newImport(application, given, config.bodyLimit));
      try {
        const taken = await take(application, job, given, request);
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
