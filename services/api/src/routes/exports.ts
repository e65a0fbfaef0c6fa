import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Message, Success } from '@sluice/shared/contracts/envelope.ts';
import { ExportQuery, ExportRequest, Job } from '@sluice/shared/contracts/jobs.ts';
import { ApiError, applicationNotFound } from '@sluice/shared/errors.ts';
import type { ApplicationRecord } from '@sluice/shared/store/applications.ts';
import type { Store } from '@sluice/shared/store/connect.ts';
import type { JobRecord } from '@sluice/shared/store/jobs.ts';
import type { FastifyReply } from 'fastify';
import Type from 'typebox';
import type { createExport } from '../exports/create-export.ts';
import type { createServe } from '../exports/serve.ts';
import { toJob } from '../exports/to-job.ts';
import { success } from '../plugins/envelope.ts';
import { ByDomain, failures, security } from './common.ts';
import { toPeriod } from './period.ts';

interface Dependencies {
  store: Store;
  makeExport: ReturnType<typeof createExport>;
  serve: ReturnType<typeof createServe>;
}

const tags = ['Exports'];
const ById = Type.Object({ domain: Type.String(), id: Type.String() });
const file = {
  200: { description: 'The file.', content: { 'text/csv': { schema: Type.String() } } },
  ...failures,
};

function abortOnClose(reply: FastifyReply): AbortSignal {
  const gone = new AbortController();
  if (reply.raw.closed || reply.raw.destroyed) gone.abort();
  reply.raw.once('close', () => gone.abort());
  return gone.signal;
}

/** Exports: streamed while they are written, or made as jobs to be fetched later. */
export const exportRoutes: FastifyPluginAsyncTypebox<Dependencies> = async (
  app,
  { store, makeExport, serve },
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
      const abandon = () => {
        serve
          .cancel(job.id)
          .catch((error) =>
            request.log.warn({ event: 'export.uncancelled', id: request.id, job: job.id, err: error }),
          );
      };
      // The client may have gone while the job was made: then there is no event to come.
      if (signal.aborted) abandon();
      else signal.addEventListener('abort', abandon, { once: true });
      await serve.begun(job, signal);
      return serve.stream(request, reply, job, signal);
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
      return serve.stream(request, reply, job, abortOnClose(reply));
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
      const cancelled = await serve.cancel(job.id);
      if (!cancelled) await jobs.remove(job.id);
      await parts.sweep(job.id);
      return success(reply, { message: `export ${job.id} was ${cancelled ? 'cancelled' : 'removed'}` });
    },
  );
};
