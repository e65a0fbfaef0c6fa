import type { IncomingMessage } from 'node:http';
import type { Formulas, ImportFormat } from '@sluice/shared/contracts/jobs.ts';
import { headerColumns } from '@sluice/shared/csv/header.ts';
import { ApiError, applicationNotFound, unavailable } from '@sluice/shared/errors.ts';
import type { Logger } from '@sluice/shared/logger.ts';
import type { JobQueue } from '@sluice/shared/queues/job-queue.ts';
import { repeat } from '@sluice/shared/repeat.ts';
import { parseSchema } from '@sluice/shared/schemas/parse-schema.ts';
import type { ApplicationRecord } from '@sluice/shared/store/applications.ts';
import type { Store } from '@sluice/shared/store/connect.ts';
import type { ImportJob } from '@sluice/shared/store/job-records.ts';
import { quotaReached } from '../limits/answers.ts';
import type { RefuseJobs } from '../limits/job-quota.ts';
import { createRoom } from '../limits/room.ts';
import type { StoredQuota } from '../limits/stored-quota.ts';
import type { Encoding } from './decompress.ts';
import { createReceive } from './receive.ts';

/** Files that one process takes at once: each has its buffers. */
const mostAtOnce = 32;
/** A file may take hours to come: some room is left for others. */
const mostOfOwner = 24;
const touchEveryMs = 2_000;

export interface ImportRequest {
  format: ImportFormat;
  formulas: Formulas;
  encoding: Encoding | undefined;
}

interface Dependencies {
  store: Pick<Store, 'jobs' | 'parts' | 'chunks' | 'leaves'>;
  queue: Pick<JobQueue, 'enqueue' | 'workers'>;
  /** Of the body as it comes, in bytes. */
  limit: number;
  /** Of what the unfinished and failed imports of one owner hold in the store, in bytes. */
  quota: number;
  lineLimit: number;
  refuseJobs: RefuseJobs;
  storedQuota: StoredQuota | undefined;
  log: Logger;
}

/** Takes the file of an import, then commits it as a job and calls workers to it. Throws ApiError; then nothing is stored. */
export function createImport({
  store,
  queue,
  limit,
  quota,
  lineLimit,
  refuseJobs,
  storedQuota,
  log,
}: Dependencies) {
  const { parts, chunks, leaves } = store;
  const { imports } = store.jobs;
  const receive = createReceive({ store, limit });
  const enter = createRoom({
    most: mostAtOnce,
    mostOfOwner,
    full: () => unavailable('too many imports are arriving at once; nothing was stored', 5),
    ownerFull: () =>
      quotaReached(
        `${mostOfOwner} imports of yours are arriving here; send this one after them; nothing was stored`,
      ),
  });

  async function refuseHeld(owner: string): Promise<void> {
    if ((await imports.heldOfOwner(owner)) >= quota)
      throw quotaReached(
        `your unfinished and failed imports hold more than ${quota} bytes (IMPORT_QUOTA); delete one; nothing was stored`,
      );
  }

  /** Removes what came, unless it is whole after all. */
  async function discard(job: ImportJob): Promise<void> {
    if (!(await imports.dismiss(job.id)) && !(await imports.isOver(job.id))) return;
    await chunks.remove(job.id);
    await parts.sweep(job.id);
  }

  async function take(
    application: ApplicationRecord,
    job: ImportJob,
    encoding: Encoding | undefined,
    request: IncomingMessage,
  ) {
    const { owner, options } = job;
    const recorded = options.format === 'csv' ? (await leaves.of(application.id)).pointers : [];
    let held = 0;
    let end: Error | undefined;
    const stopTouching = repeat(touchEveryMs, async () => {
      try {
        if (!(await imports.touch(job.id, held))) end = applicationNotFound(application.domain);
        await refuseHeld(owner);
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
    await refuseJobs(application.owner.id);
    await refuseHeld(application.owner.id);
    await storedQuota?.lookAndRefuse(application.owner.id);
    const { id, domain, owner } = application;
    const leave = enter(owner.id);
    try {
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
    } finally {
      leave();
    }
  };
}
