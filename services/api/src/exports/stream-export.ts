import type { ExportJob } from '@sluice/jobs/record/export-record.ts';
import { unavailable } from '@sluice/shared/errors.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Dependencies } from '../dependencies.ts';
import { encodingFor } from '../jobs/encoding.ts';
import { cancelJob, keeping } from '../jobs/keep.ts';
import { sendBytes } from '../jobs/send-file.ts';
import { followParts, waitForStart } from './follow.ts';

/** While workers are there but busy, a client waits this long. */
const busyMs = 60_000;

/** Sends the file of an export while it is written. A client that goes away cancels it. */
export function createStreamExport({
  store: { jobs, parts },
  queues,
  audit,
  timings: { exportWaitMs },
}: Pick<Dependencies, 'store' | 'queues' | 'audit' | 'timings'>) {
  /** Resolves once a worker has the job; else cancels it and says why there is none. */
  async function begun(job: ExportJob, signal: AbortSignal): Promise<void> {
    if (await waitForStart(jobs, job.id, exportWaitMs, signal)) return;
    const workers = await queues.exports.workers().catch(() => 0);
    if (workers > 0 && (await waitForStart(jobs, job.id, busyMs, signal))) return;
    await cancelJob(jobs, job.id);
    throw workers > 0
      ? unavailable(
          'all export workers are busy; create a job with POST to the exports of the application',
          30,
        )
      : unavailable('no export worker is running', 10);
  }

  return async (request: FastifyRequest, reply: FastifyReply, job: ExportJob, signal: AbortSignal) => {
    const abandon = () => {
      cancelJob(jobs, job.id).catch((error) =>
        request.log.warn({ event: 'export.uncancelled', id: request.id, job: job.id, err: error }),
      );
    };
    // The client may have gone while the job was made: then there is no event to come.
    if (signal.aborted) abandon();
    else signal.addEventListener('abort', abandon, { once: true });
    await begun(job, signal);
    const content = keeping(jobs, job.id, followParts({ jobs, parts }, job.id, signal));
    // Nothing is sent before the first part is there: until then a failure can still be said.
    const first = await content.next();
    const what = { application: job.domain, job: job.id, details: { streamed: true } };
    await audit.note(request, { action: 'export.downloaded', ...what });
    const encoding = encodingFor(request.headers['accept-encoding']);
    return sendBytes(request, reply, job, prepend(first, content), signal, encoding);
  };
}

async function* prepend(first: IteratorResult<Buffer>, rest: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  if (first.done) return;
  yield first.value;
  yield* rest;
}
