import { receive } from '@sluice/intake/receive/receive.ts';
import type { Store } from '@sluice/jobs/connect.ts';
import { ApplicationDeleted, JobFailed, type JobKind, type Turn, wholeJob } from '@sluice/jobs/kind.ts';
import { Postpone } from '@sluice/jobs/queue/consumer.ts';
import type { JobQueue } from '@sluice/jobs/queue/producer.ts';
import { readParts } from '@sluice/jobs/read-parts.ts';
import { type ImportJob, isUncut } from '@sluice/jobs/record/job-records.ts';
import { parseSchema } from '@sluice/schemas/schema.ts';
import { ApiError } from '@sluice/shared/errors.ts';
import type { Logger } from '@sluice/shared/logger.ts';
import { repeat } from '@sluice/shared/repeat.ts';
import { LeaseLost } from '@sluice/store/under-lease.ts';
import { createReadLayout } from '@sluice/tables/csv/header.ts';
import type { createDownload } from './download.ts';

const lookEveryMs = 2_000;

interface Dependencies {
  store: Store;
  queue: Pick<JobQueue, 'enqueue'>;
  download: ReturnType<typeof createDownload>;
  leaseMs: number;
  log: Logger;
}

/** Cuts the file of an import into chunks: a file that a client has sent in pieces, or that it downloads. */
export function receiveKind({ store, queue, download, leaseMs, log }: Dependencies): JobKind<ImportJob> {
  const { applications, jobs, parts, schemas } = store;
  const { imports } = jobs;

  async function readLayoutOf({ application: id, options, source }: ImportJob) {
    const application = await applications.byId(id);
    if (!application) throw new ApplicationDeleted();
    const found = await schemas.of(application, options.version ?? 1);
    if (!found) throw new JobFailed(`version ${options.version} of the schema is missing`);
    const schema = parseSchema(found.rawSchema);
    return createReadLayout({ schema, formulas: options.formulas, names: source?.names });
  }

  /** Removes what an earlier try has cut. */
  async function removeCut(job: ImportJob): Promise<void> {
    await parts.remove(...(await imports.removeChunks(job)));
  }

  async function cut(job: ImportJob, { check, checkLease, signal }: Turn): Promise<undefined> {
    if (!isUncut(job)) throw new LeaseLost();
    const { url, limit, quota, stored, ...source } = job.source;
    const pieces = await jobs.partsOf(job.id);
    await removeCut(job);
    const readLayout = await readLayoutOf(job);
    let bytes = 0;
    let isOverQuota = false;
    const unwanted = new AbortController();
    const stop = repeat(lookEveryMs, async () => {
      // A server may send bytes for ever that give no text to check at.
      try {
        checkLease();
      } catch {
        return unwanted.abort();
      }
      // After a fault it is asked again.
      const held = await imports.bytesOfOwner(job.owner).catch(() => 0);
      isOverQuota = held >= quota;
    });

    async function* counted(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
      for await (const piece of body) {
        bytes += piece.length;
        yield piece;
      }
    }

    try {
      const body = counted(
        url ? download(url, limit, AbortSignal.any([signal, unwanted.signal])) : readParts(parts, pieces),
      );
      const received = await receive(parts, body, limit, {
        job,
        encoding: undefined,
        readLayout,
        add: (chunk, held) =>
          imports.addChunk(job, chunk, { held: stored + held, 'source.bytes': url ? bytes : source.bytes }),
        onProgress() {
          check();
          if (isOverQuota)
            throw new JobFailed(
              `you have reached your limit of ${quota.toLocaleString('en')} bytes of unfinished and failed imports; delete one; nothing was stored`,
            );
        },
      });
      const whole = await imports.receive(job, received);
      if (!whole) throw new LeaseLost();
      log.info({ event: 'import.received', job: job.id, lines: whole.total });
      await parts.remove(...pieces.map(({ id }) => id));
      // If this fails, a sweep puts it on the queue.
      await queue
        .enqueue(whole)
        .catch((error) => log.warn({ event: 'queue.missed', job: job.id, reason: error.message }));
      return undefined;
    } catch (error) {
      if (signal.aborted) throw new Postpone();
      if (!(error instanceof ApiError || error instanceof JobFailed)) throw error;
      await removeCut(job);
      throw error instanceof JobFailed ? error : new JobFailed(error.message);
    } finally {
      stop();
    }
  }

  return {
    kind: 'import',

    async next({ id }) {
      const job = await imports.claimReady(id, leaseMs);
      return job && wholeJob(jobs, job, leaseMs, cut);
    },
  };
}
