import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import type { Store } from '@sluice/jobs/connect.ts';
import { readParts } from '@sluice/jobs/read-parts.ts';
import type { ExportJob, ExportOptions } from '@sluice/jobs/record/export-record.ts';
import type { JobStore } from '@sluice/jobs/record/jobs.ts';
import { ApiError, unavailable } from '@sluice/shared/errors.ts';
import type { ApplicationRecord } from '@sluice/store/applications/applications.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Dependencies } from '../dependencies.ts';
import { abortOnClose } from '../http/connections/connections.ts';
import { keeping } from '../jobs/read-parts.ts';
import { describeFile, encodingFor, sendBytes } from '../jobs/send-file.ts';
import { cancelJob } from '../jobs/steps.ts';

/** How long a client waits while all workers are busy. */
const busyMs = 60_000;
const pollMs = 40;
/** A dead worker is replaced within 20 s: after this long without a new part, no worker will continue. */
const stalledMs = 120_000;

/** The file is made anew for each request. */
const withoutRanges = { 'accept-ranges': 'none' };

/** Answers HEAD: what a file would be, without one. */
export function describeStream(
  request: FastifyRequest,
  reply: FastifyReply,
  { domain }: Pick<ApplicationRecord, 'domain'>,
  options: Pick<ExportOptions, 'format' | 'arrays'>,
) {
  const file = { kind: 'export', domain, createdAt: new Date(), options } as const;
  describeFile(reply, file, encodingFor(request.headers['accept-encoding']));
  // Without a stream, Node.js would say that the file has no bytes.
  return reply.headers(withoutRanges).send(Readable.from([]));
}

/** Sends the file of an export while it is written. If the client leaves, the export is cancelled. */
export async function streamExport(
  dependencies: Pick<Dependencies, 'store' | 'queues' | 'audit' | 'timings'>,
  request: FastifyRequest,
  reply: FastifyReply,
  job: ExportJob,
) {
  const { store, audit } = dependencies;
  const signal = abortOnClose(reply);
  const abandon = () => {
    cancelJob(store.jobs, job.id).catch((error) =>
      request.log.warn({ event: 'export.uncancelled', id: request.id, job: job.id, err: error }),
    );
  };
  // The client may have left while the job was made.
  if (signal.aborted) abandon();
  else signal.addEventListener('abort', abandon, { once: true });
  await waitForWorker(dependencies, job, signal);
  const content = keeping(store.jobs, job.id, followParts(store, job.id, signal));
  // Before the first part is sent, a failure can still be answered.
  const first = await content.next();
  const what = { application: job.domain, job: job.id, details: { streamed: true } };
  await audit.note(request, { action: 'export.downloaded', ...what });
  const encoding = encodingFor(request.headers['accept-encoding']);
  reply.headers(withoutRanges);
  return sendBytes(request, reply, job, prepend(first, content), encoding);
}

/** Resolves once a worker has the job. Otherwise cancels the job and throws ApiError, which says why. */
async function waitForWorker(
  { store: { jobs }, queues, timings }: Pick<Dependencies, 'store' | 'queues' | 'timings'>,
  { id }: ExportJob,
  signal: AbortSignal,
): Promise<void> {
  if (await waitForStart(jobs, id, timings.exportWaitMs, signal)) return;
  const workers = await queues.exports.workers().catch(() => 0);
  if (workers > 0 && (await waitForStart(jobs, id, busyMs, signal))) return;
  await cancelJob(jobs, id);
  throw workers > 0
    ? unavailable('all export workers are busy; create a job with POST to the exports of the application', 30)
    : unavailable('no export worker is running', 10);
}

const cancelled = (id: string) =>
  new ApiError('ResourceConflictError', `export ${id} was cancelled, or its application deleted`);

/** Resolves with true once a worker has the job, with false after `ms`. */
async function waitForStart(jobs: JobStore, id: string, ms: number, signal: AbortSignal): Promise<boolean> {
  const deadline = performance.now() + ms;
  for (;;) {
    const seen = await jobs.follow(id, 0);
    if (!seen) throw cancelled(id);
    if (seen.state !== 'waiting') return true;
    if (performance.now() >= deadline) return false;
    await pause(pollMs, undefined, { signal });
  }
}

/** Yields each part once it is committed. Throws if the job does not complete: a reader must not take a piece for the whole. */
async function* followParts(
  { jobs, parts }: Pick<Store, 'jobs' | 'parts'>,
  id: string,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  let next = 0;
  let movedAt = performance.now();
  for (;;) {
    const seen = await jobs.follow(id, next);
    if (!seen || seen.state === 'cancelled') throw cancelled(id);
    if (seen.state === 'failed') {
      const name = seen.isDefect ? 'InternalServerError' : 'InvalidRequestError';
      throw new ApiError(name, `export ${id} failed: ${seen.error}`);
    }
    if (seen.parts.length > 0) {
      yield* readParts(parts, seen.parts);
      next += seen.parts.length;
      movedAt = performance.now();
      continue;
    }
    if (seen.state === 'completed') return;
    // It gave way to another export and will be continued.
    if (seen.state === 'waiting') movedAt = performance.now();
    if (performance.now() - movedAt > stalledMs) throw unavailable(`export ${id} does not go on`);
    await pause(pollMs, undefined, { signal });
  }
}

async function* prepend(first: IteratorResult<Buffer>, rest: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  if (first.done) return;
  yield first.value;
  yield* rest;
}
