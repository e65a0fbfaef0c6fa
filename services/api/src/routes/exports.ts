import { pipeline, Readable, type Transform } from 'node:stream';
import { createGzip, createZstdCompress } from 'node:zlib';
import negotiate from '@fastify/accept-negotiator';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Failure, Message, Success } from '@sluice/shared/contracts/envelope.ts';
import { ExportQuery, ExportRequest, Job } from '@sluice/shared/contracts/jobs.ts';
import { ApiError, applicationNotFound, unavailable } from '@sluice/shared/errors.ts';
import type { Producer } from '@sluice/shared/queues/producer.ts';
import type { ApplicationRecord } from '@sluice/shared/store/applications.ts';
import type { Store } from '@sluice/shared/store/connect.ts';
import type { JobRecord } from '@sluice/shared/store/jobs.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import type { createExport } from '../exports/create-export.ts';
import { followParts, waitForStart } from '../exports/follow.ts';
import { toJob } from '../exports/to-job.ts';
import { success } from '../plugins/envelope.ts';
import { toPeriod } from './period.ts';

interface Dependencies {
  store: Store;
  queue: Producer<{ jobId: string }>;
  makeExport: ReturnType<typeof createExport>;
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

const tags = ['Exports'];
const security = [{ bearer: [] }];
const failures = { '4xx': Failure, '5xx': Failure };
const ByDomain = Type.Object({ domain: Type.String() });
const ById = Type.Object({ domain: Type.String(), id: Type.String() });
const file = {
  200: { description: 'The file.', content: { 'text/csv': { schema: Type.String() } } },
  ...failures,
};

function abortOnClose(reply: FastifyReply): AbortSignal {
  const gone = new AbortController();
  reply.raw.once('close', () => gone.abort());
  return gone.signal;
}

/** Exports: streamed while they are written, or made as jobs to be fetched later. */
export const exportRoutes: FastifyPluginAsyncTypebox<Dependencies> = async (
  app,
  { store, queue, makeExport, waitMs },
) => {
  app.addHook('onRequest', app.authenticate);
  const { applications, jobs, parts } = store;

  async function findApplication(domain: string, ownerId: string): Promise<ApplicationRecord> {
    const found = await applications.ofOwner(domain, ownerId);
    if (!found) throw applicationNotFound(domain);
    return found;
  }

  async function findJob(domain: string, id: string, ownerId: string): Promise<JobRecord> {
    const application = await findApplication(domain, ownerId);
    const job = await jobs.get(id);
    if (job?.application !== application.id) {
      throw new ApiError('ResourceNotFoundError', `export ${id.slice(0, 40)} was not found`);
    }
    return job;
  }

  const cancel = (id: string) => jobs.cancel(id, new Date(Date.now() + cancelledKeptMs));

  async function begun(job: JobRecord, signal: AbortSignal): Promise<void> {
    let seen = await waitForStart(jobs, job.id, waitMs, signal);
    const workers = seen ? 1 : await queue.workers().catch(() => 0);
    if (!seen && workers > 0) seen = await waitForStart(jobs, job.id, busyMs, signal);
    if (seen) return;
    await cancel(job.id);
    throw workers > 0
      ? unavailable(
          'all export workers are busy; create a job with POST to the exports of the application',
          30,
        )
      : unavailable('no export worker is running', 10);
  }

  /** Streams the file in the encoding that the client likes best of those that cost least. */
  async function stream(request: FastifyRequest, reply: FastifyReply, job: JobRecord, signal: AbortSignal) {
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
    if (encoding && encoding in compressors) reply.header('content-encoding', encoding);
    else if (job.state === 'completed') reply.header('content-length', job.bytes);
    const bytes = Readable.from(prepend(first, content), { objectMode: false });
    bytes.on('error', (error) => {
      if (!signal.aborted) request.log.warn({ event: 'export.broken', job: job.id, reason: error.message });
    });
    // A failure here destroys the socket, so that the client sees a broken transfer and no clean end.
    const compress = encoding ? compressors[encoding]?.() : undefined;
    return reply.send(compress ? pipeline(bytes, compress, () => undefined) : bytes);
  }

  app.get(
    '/applications/:domain/export',
    {
      exposeHeadRoute: false,
      schema: {
        summary: 'Export all entries as CSV, streamed while it is written',
        description:
          'Oldest first. `from` is included, `to` is not. A client that goes away cancels the export.',
        tags,
        security,
        params: ByDomain,
        querystring: ExportQuery,
        response: file,
      },
    },
    async (request, reply) => {
      const { params, query, owner } = request;
      const period = toPeriod(query);
      const application = await findApplication(params.domain, owner.id);
      const options = { ...period, columns: query.columns?.split(','), formulas: query.formulas ?? 'escape' };
      const signal = abortOnClose(reply);
      const job = await makeExport(application, options, true);
      reply.raw.once('close', () => {
        cancel(job.id).catch((error) =>
          request.log.warn({ event: 'export.uncancelled', job: job.id, err: error }),
        );
      });
      await begun(job, signal);
      return stream(request, reply, job, signal);
    },
  );

  app.post(
    '/applications/:domain/exports',
    {
      schema: {
        summary: 'Create an export job',
        tags,
        security,
        params: ByDomain,
        body: ExportRequest,
        response: { 202: Success(Job, 'Taken.'), ...failures },
      },
    },
    async ({ params, body, owner }, reply) => {
      const period = toPeriod(body);
      const application = await findApplication(params.domain, owner.id);
      const options = { ...period, columns: body.columns, formulas: body.formulas ?? 'escape' };
      return success(reply, toJob(await makeExport(application, options, false)), 202);
    },
  );

  app.get(
    '/applications/:domain/exports',
    {
      schema: {
        summary: 'List export jobs, newest first',
        tags,
        security,
        params: ByDomain,
        response: { 200: Success(Type.Array(Job)), ...failures },
      },
    },
    async ({ params, owner }, reply) => {
      const application = await findApplication(params.domain, owner.id);
      return success(reply, (await jobs.list(application.id)).map(toJob));
    },
  );

  app.get(
    '/applications/:domain/exports/:id',
    {
      schema: {
        summary: 'An export job',
        tags,
        security,
        params: ById,
        response: { 200: Success(Job), ...failures },
      },
    },
    async ({ params, owner }, reply) =>
      success(reply, toJob(await findJob(params.domain, params.id, owner.id))),
  );

  app.get(
    '/applications/:domain/exports/:id/file',
    {
      schema: { summary: 'The file of a completed export job', tags, security, params: ById, response: file },
    },
    async (request, reply) => {
      const job = await findJob(request.params.domain, request.params.id, request.owner.id);
      if (job.state !== 'completed') {
        throw new ApiError('ResourceNotFoundError', `export ${job.id} has no file: it is ${job.state}`);
      }
      return stream(request, reply, job, abortOnClose(reply));
    },
  );

  app.delete(
    '/applications/:domain/exports/:id',
    {
      schema: {
        summary: 'Cancel an export job, or remove a finished one with its file',
        tags,
        security,
        params: ById,
        response: { 200: Success(Message), ...failures },
      },
    },
    async ({ params, owner }, reply) => {
      const job = await findJob(params.domain, params.id, owner.id);
      const cancelled = await cancel(job.id);
      if (!cancelled) await jobs.remove(job.id);
      await parts.sweep(job.id);
      return success(reply, { message: `export ${job.id} was ${cancelled ? 'cancelled' : 'removed'}` });
    },
  );
};

async function* prepend(first: IteratorResult<Buffer>, rest: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  if (first.done) return;
  yield first.value;
  yield* rest;
}
