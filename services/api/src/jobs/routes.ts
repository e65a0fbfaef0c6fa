import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Message, Success } from '@sluice/shared/contracts/envelope.ts';
import { Job } from '@sluice/shared/contracts/jobs.ts';
import type { JobRecord } from '@sluice/store/jobs/job-records.ts';
import Type from 'typebox';
import { findApplication } from '../applications/find.ts';
import type { Dependencies } from '../dependencies.ts';
import { success } from '../http/envelope.ts';
import { ByDomain, ById, overLimit, ownerRoutes, refusals } from '../http/route-parts.ts';
import { abortOnClose } from './abort-on-close.ts';
import { findJob } from './find-job.ts';
import { jobEvents } from './job-events.ts';
import { cancelJob } from './keep.ts';
import { createRetryJob } from './retry-job.ts';
import { createSendFile } from './send-file.ts';
import { toJob } from './to-job.ts';

/** One event of the stream. Only described: what is sent is not made from it. */
const Event = Type.Object({
  event: Type.Enum(['progress', 'end']),
  data: Type.String({ contentMediaType: 'application/json', contentSchema: Job }),
});

const words = {
  export: {
    tag: 'Exports',
    file: 'The file of a completed export job',
    retry: 'It goes on behind what is written of its file. One that was streamed cannot be retried.',
  },
  import: {
    tag: 'Imports',
    file: 'The report of a completed import job: its refused lines, as NDJSON',
    retry: 'Lines that are stored are not stored again.',
  },
};

type Needs = 'store' | 'queues' | 'quotas' | 'audit' | 'capacity' | 'log';

/** What exports and imports have alike: to be listed, looked at, followed, fetched, retried, cancelled and removed. */
export const jobRoutes: FastifyPluginAsyncTypebox<
  Pick<Dependencies, Needs> & { kind: JobRecord['kind'] }
> = async (app, dependencies) => {
  const { store, kind, audit, capacity } = dependencies;
  const { tag, file, retry } = words[kind];
  ownerRoutes(app, tag);
  const { jobs, parts } = store;
  const sendFile = createSendFile(dependencies);
  const retryJob = createRetryJob(dependencies);
  const path = `/applications/:domain/${kind}s`;

  app.get(
    path,
    {
      schema: {
        summary: `List ${kind} jobs, newest first`,
        params: ByDomain,
        response: { 200: Success(Type.Array(Job)) },
      },
    },
    async (request, reply) => {
      const { id } = await findApplication(store.applications, request);
      return success(reply, (await jobs.list(id, kind)).map(toJob));
    },
  );

  app.get(
    `${path}/:id`,
    {
      schema: {
        summary: `One ${kind} job`,
        params: ById,
        response: { 200: Success(Job) },
      },
    },
    async (request, reply) => {
      const { application, job } = await findJob(store, kind, request);
      const columns = job.manifest?.columns;
      return success(reply, { ...toJob(job), ...(columns && { columns }), schema: application.rawSchema });
    },
  );

  app.get(
    `${path}/:id/file`,
    {
      schema: {
        summary: file,
        description:
          'With `Content-Length`, `ETag` and ranges, so that a download that was interrupted can be resumed.',
        params: ById,
        response: {
          200: { description: 'The file.', content: { '*/*': { schema: Type.String() } } },
          206: { description: 'A range of it.', content: { '*/*': { schema: Type.String() } } },
          304: { description: 'It is what `If-None-Match` names.', type: 'null' },
          ...refusals(416),
          ...overLimit,
        },
      },
    },
    async (request, reply) => {
      const { job } = await findJob(store, kind, request);
      return sendFile(request, reply, job, abortOnClose(reply));
    },
  );

  app.get(
    `${path}/:id/events`,
    {
      exposeHeadRoute: false,
      schema: {
        summary: `Progress of an ${kind} job, as server-sent events`,
        description:
          '`progress` with the job whenever it has changed, and `end` with the job when it is over.',
        params: ById,
        response: {
          200: {
            description: 'Events, one after the other.',
            content: { 'text/event-stream': { schema: Event } },
          },
          ...overLimit,
        },
      },
    },
    async (request, reply) => {
      const { job } = await findJob(store, kind, request);
      // Each asks MongoDB twice a second.
      capacity.followers.lease(reply, request.owner.id).take(1);
      reply.type('text/event-stream').header('x-accel-buffering', 'no');
      return reply.send(jobEvents(jobs, job.id, abortOnClose(reply)) as never);
    },
  );

  app.post(
    `${path}/:id/retry`,
    {
      schema: {
        summary: `Retry a failed ${kind} job`,
        description: `It waits for a worker again. ${retry} 409 unless it is \`failed\`.`,
        params: ById,
        response: { 202: Success(Job, 'It waits.'), ...refusals(409), ...overLimit },
      },
    },
    async (request, reply) => {
      const { job } = await findJob(store, kind, request);
      const retried = await retryJob(job);
      await audit.note(request, { action: `${kind}.retried`, application: job.domain, job: job.id });
      return success(reply, toJob(retried), 202);
    },
  );

  app.delete(
    `${path}/:id`,
    {
      schema: {
        summary: `Cancel an ${kind} job, or remove a finished one with its file`,
        params: ById,
        response: { 200: Success(Message) },
      },
    },
    async (request, reply) => {
      const { job } = await findJob(store, kind, request);
      const cancelled = await cancelJob(jobs, job.id);
      if (!cancelled) await jobs.remove(job.id);
      const what = { application: job.domain, job: job.id, details: { cancelled } };
      await audit.note(request, { action: `${kind}.removed`, ...what });
      await parts.sweep(job.id);
      return success(reply, { message: `${kind} ${job.id} was ${cancelled ? 'cancelled' : 'removed'}` });
    },
  );
};
