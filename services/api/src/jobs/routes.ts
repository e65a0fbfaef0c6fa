import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { JobQueue } from '@sluice/queues/job-queue.ts';
import { Message, Success } from '@sluice/shared/contracts/envelope.ts';
import { Job } from '@sluice/shared/contracts/jobs.ts';
import type { Logger } from '@sluice/shared/logger.ts';
import type { Store } from '@sluice/store/connect.ts';
import type { JobRecord } from '@sluice/store/jobs/job-records.ts';
import Type from 'typebox';
import type { Audit } from '../audit/audit.ts';
import { success } from '../http/envelope.ts';
import { ByDomain, failures, overLimit, refusals, security } from '../http/route-parts.ts';
import type { Capacities } from '../limits/capacity.ts';
import type { Quotas } from '../limits/quota.ts';
import { abortOnClose } from './abort-on-close.ts';
import { cancelJob } from './cancel-job.ts';
import { createFind } from './find-job.ts';
import { jobEvents } from './job-events.ts';
import { createRetryJob } from './retry-job.ts';
import { createSendFile } from './send-file.ts';
import { toJob } from './to-job.ts';

interface Dependencies {
  store: Store;
  kind: JobRecord['kind'];
  queue: Pick<JobQueue, 'enqueue'>;
  quotas: Pick<Quotas, 'check'>;
  audit: Audit;
  capacity: Pick<Capacities, 'downloads' | 'followers'>;
  log: Logger;
}

const ById = Type.Object({ domain: Type.String(), id: Type.String() });

/** One event of the stream. Only described: what is sent is not made from it. */
const Event = Type.Object({
  event: Type.Enum(['progress', 'end']),
  data: Type.String({ contentMediaType: 'application/json', contentSchema: Job }),
});

const words = {
  export: {
    tags: ['Exports'],
    file: 'The file of a completed export job',
    retry: 'It goes on behind what is written of its file. One that was streamed cannot be retried.',
  },
  import: {
    tags: ['Imports'],
    file: 'The report of a completed import job: its refused lines, as NDJSON',
    retry: 'Lines that are stored are not stored again.',
  },
};

/** What exports and imports have alike: to be listed, looked at, followed, fetched, retried, cancelled and removed. */
export const jobRoutes: FastifyPluginAsyncTypebox<Dependencies> = async (
  app,
  { store, kind, queue, quotas, audit, capacity, log },
) => {
  app.addHook('onRequest', app.authenticate);
  const { jobs, parts } = store;
  const find = createFind(store);
  const sendFile = createSendFile(store, audit, capacity);
  const retryJob = createRetryJob({ store, queue, quotas, log });
  const path = `/applications/:domain/${kind}s`;
  const { tags, file, retry } = words[kind];

  app.get(
    path,
    {
      schema: {
        summary: `List ${kind} jobs, newest first`,
        tags,
        security,
        params: ByDomain,
        response: { 200: Success(Type.Array(Job)), ...failures },
      },
    },
    async ({ params, owner }, reply) => {
      const application = await find.application(params.domain, owner.id);
      return success(reply, (await jobs.list(application.id, kind)).map(toJob));
    },
  );

  app.get(
    `${path}/:id`,
    {
      schema: {
        summary: `One ${kind} job`,
        tags,
        security,
        params: ById,
        response: { 200: Success(Job), ...failures },
      },
    },
    async ({ params, owner }, reply) => {
      const { application, job } = await find.job(kind, params, owner.id);
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
        tags,
        security,
        params: ById,
        response: {
          200: { description: 'The file.', content: { '*/*': { schema: Type.String() } } },
          206: { description: 'A range of it.', content: { '*/*': { schema: Type.String() } } },
          304: { description: 'It is what `If-None-Match` names.', type: 'null' },
          ...refusals(416),
          ...overLimit,
          ...failures,
        },
      },
    },
    async (request, reply) => {
      const { job } = await find.job(kind, request.params, request.owner.id);
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
        tags,
        security,
        params: ById,
        response: {
          200: {
            description: 'Events, one after the other.',
            content: { 'text/event-stream': { schema: Event } },
          },
          ...overLimit,
          ...failures,
        },
      },
    },
    async (request, reply) => {
      const { job } = await find.job(kind, request.params, request.owner.id);
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
        tags,
        security,
        params: ById,
        response: { 202: Success(Job, 'It waits.'), ...refusals(409), ...overLimit, ...failures },
      },
    },
    async (request, reply) => {
      const { job } = await find.job(kind, request.params, request.owner.id);
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
        tags,
        security,
        params: ById,
        response: { 200: Success(Message), ...failures },
      },
    },
    async (request, reply) => {
      const { job } = await find.job(kind, request.params, request.owner.id);
      const cancelled = await cancelJob(jobs, job.id);
      if (!cancelled) await jobs.remove(job.id);
      const what = { application: job.domain, job: job.id, details: { cancelled } };
      await audit.note(request, { action: `${kind}.removed`, ...what });
      await parts.sweep(job.id);
      return success(reply, { message: `${kind} ${job.id} was ${cancelled ? 'cancelled' : 'removed'}` });
    },
  );
};
