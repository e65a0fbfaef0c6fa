import { pipeline, Readable, type Transform } from 'node:stream';
import { createGzip, createZstdCompress } from 'node:zlib';
import negotiate from '@fastify/accept-negotiator';
import { unavailable } from '@sluice/shared/errors.ts';
import type { Producer } from '@sluice/shared/queues/producer.ts';
import type { Store } from '@sluice/shared/store/connect.ts';
import type { JobRecord } from '@sluice/shared/store/jobs.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { followParts, waitForStart } from './follow.ts';

interface Dependencies {
  store: Pick<Store, 'jobs' | 'parts'>;
  queue: Producer<{ jobId: string }>;
  waitMs: number;
}

/** While workers are there but busy, a client waits this long. */
const busyMs = 60_000;
/** A cancelled job can be looked at for a while. */
const cancelledKeptMs = 3_600_000;

/**
 * The parts are compressed anew as one stream: joined as they are stored they would be several zstd frames,
 * of which some decoders, Node's among them, read only the first without a word.
 */
const compressors: Record<string, () => Transform> = {
  gzip: () => createGzip(),
  zstd: () => createZstdCompress(),
};

/** The reader's side of exports: waits for a worker, hands the file out, cancels. */
export function createServe({ store: { jobs, parts }, queue, waitMs }: Dependencies) {
  /** False when the job had ended before. */
  const cancel = (id: string) => jobs.cancel(id, new Date(Date.now() + cancelledKeptMs));

  return {
    cancel,

    /** Resolves once a worker has the job; else cancels it and says why there is none. */
    async begun(job: JobRecord, signal: AbortSignal): Promise<void> {
      if (await waitForStart(jobs, job.id, waitMs, signal)) return;
      const workers = await queue.workers().catch(() => 0);
      if (workers > 0 && (await waitForStart(jobs, job.id, busyMs, signal))) return;
      await cancel(job.id);
      throw workers > 0
        ? unavailable(
            'all export workers are busy; create a job with POST to the exports of the application',
            30,
          )
        : unavailable('no export worker is running', 10);
    },

    /** Streams the file, in the encoding that the client likes best of those there are. */
    async stream(request: FastifyRequest, reply: FastifyReply, job: JobRecord, signal: AbortSignal) {
      const accepts = request.headers['accept-encoding'];
      const encoding = accepts ? negotiate(accepts, ['zstd', 'gzip', 'identity']) : 'identity';
      const content = followParts({ jobs, parts }, job.id, signal);
      // Nothing is sent before the first part is there: until then a failure can still be said.
      const first = await content.next();
      const time = job.createdAt.toISOString().replace(/[-:]|\.\d+/g, '');
      reply
        .type('text/csv; charset=utf-8')
        .header('content-disposition', `attachment; filename="${job.domain}-${time}.csv"`)
        .header('vary', 'accept-encoding');
      const compress = encoding ? compressors[encoding]?.() : undefined;
      if (encoding && compress) reply.header('content-encoding', encoding);
      else if (job.state === 'completed') reply.header('content-length', job.bytes);
      const bytes = Readable.from(prepend(first, content), { objectMode: false });
      bytes.on('error', (error) => {
        if (!signal.aborted) {
          request.log.warn({ event: 'export.broken', id: request.id, job: job.id, reason: error.message });
        }
      });
      // A failure here destroys the socket, so that the client sees a broken transfer and no clean end.
      return reply.send(compress ? pipeline(bytes, compress, () => undefined) : bytes);
    },
  };
}

async function* prepend(first: IteratorResult<Buffer>, rest: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  if (first.done) return;
  yield first.value;
  yield* rest;
}
