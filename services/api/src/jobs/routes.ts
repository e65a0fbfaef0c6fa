import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import type { JobWithFile } from '@sluice/jobs/record/job-records.ts';
import type { Ended, JobStore } from '@sluice/jobs/record/jobs.ts';
import { toJob } from '@sluice/jobs/record/to-job.ts';
import Type, { type Static } from 'typebox';
import type { Lifecycle, Routes } from '../dependencies.ts';
import { Success, SuccessMessage, success } from '../http/answers.ts';
import { abortOnClose } from '../http/connections/connections.ts';
import { findApplication } from '../http/find-application.ts';
import { ByDomain, bearerRoutes, byId, operation, overLimit, ownFailures } from '../http/route-parts.ts';
import { JobAnswer, jobExamples } from './contract.ts';
import { Events, jobWords, madeJob, partOf, type ReportQuery, type RoutedKind } from './describe.ts';
import { sendFile } from './send-file.ts';
import { cancelJob, findJob, retryJob } from './steps.ts';

/** The routes that every kind of job has: list, get, download, follow, retry, and cancel or delete. */
export const jobRoutes: Routes<{ kind: RoutedKind }> = async (app, dependencies) => {
  const { store, kind, audit, capacity, lifecycle } = dependencies;
  const { tag, file, retry, cancelled, path: at = `${kind}s`, name: given } = jobWords[kind];
  const name = given ?? `${kind.charAt(0).toUpperCase()}${kind.slice(1)}`;
  const article = /^[aeio]/.test(kind) ? 'an' : 'a';
  const ById = byId(`${kind} job`);
  const completed = jobExamples.completed(kind);
  bearerRoutes(app, tag, kind === 'export' ? 'reader' : 'editor');
  const { jobs, parts } = store;
  const path = `/applications/:domain/${at}`;

  app.get(
    path,
    operation(`list${name}s`, `List ${kind} jobs`, {
      description: 'Newest first.',
      params: ByDomain,
      response: { 200: Success(Type.Array(JobAnswer), 'Done.', [completed]) },
    }),
    async (request, reply) => {
      const { id } = await findApplication(store.applications, request);
      return success(reply, (await jobs.list(id, kind)).map(toJob));
    },
  );

  app.get(
    `${path}/:id`,
    operation(`get${name}`, `Get ${article} ${kind} job`, {
      params: ById,
      response: { 200: Success(JobAnswer, 'Done.', completed) },
    }),
    async (request, reply) => {
      const { application, job } = await findJob(store, kind, request);
      const { columns, versions } = job.manifest ?? {};
      const { rawSchema } = job.kind === 'rehearsal' ? job.options : application;
      return success(reply, {
        ...toJob(job),
        ...(columns && { columns }),
        ...(versions && { versions }),
        schema: rawSchema,
      });
    },
  );

  if (file) {
    app.get(
      `${path}/:id/file`,
      {
        schema: {
          ...file.download,
          description: `${file.about} It has \`Content-Length\`, \`ETag\` and ranges, so that an interrupted download can be resumed. \`If-Match\`, \`If-None-Match\` and \`If-Range\` name its \`ETag\`.`,
          params: ById,
          ...(file.query && { querystring: file.query }),
          response: {
            200: { description: 'The file.', content: file.content },
            206: { description: 'The requested range of the file.', content: partOf(file.content) },
            304: { description: 'You have this file: `If-None-Match` names its `ETag`.', type: 'null' },
            ...ownFailures('PreconditionFailedError', 'RangeNotSatisfiableError'),
            ...overLimit,
          },
        },
      },
      async (request, reply) => {
        const { job } = await findJob(store, kind, request);
        const { format } = request.query as Static<typeof ReportQuery>;
        const as = format === 'csv' && kind === 'import' ? 'csv' : undefined;
        return sendFile(dependencies, request, reply, { ...(job as JobWithFile), as });
      },
    );
  }

  app.get(
    `${path}/:id/events`,
    {
      exposeHeadRoute: false,
      ...operation(`follow${name}`, `Follow ${article} ${kind} job`, {
        description:
          'Server-sent events with the job as data: `progress` whenever the job has changed, `end` when it is over. Connect again when it ends without `end`.',
        params: ById,
        response: {
          200: {
            description: 'The events.',
            content: {
              'text/event-stream': {
                schema: Events,
                example: `event: end\ndata: ${JSON.stringify(completed)}\n\n`,
              },
            },
          },
          ...overLimit,
        },
      }),
    },
    async (request, reply) => {
      const { job } = await findJob(store, kind, request);
      // Each follower asks MongoDB twice a second.
      capacity.followers.lease(reply, request.owner.id).take(1);
      reply.type('text/event-stream').header('x-accel-buffering', 'no');
      return reply.send(jobEvents(jobs, job.id, lifecycle, abortOnClose(reply)) as never);
    },
  );

  app.post(
    `${path}/:id/retry`,
    operation(`retry${name}`, `Retry a failed ${kind} job`, {
      description: `${retry} The answer is 409 unless the job is \`failed\`.`,
      params: ById,
      response: {
        ...madeJob(kind),
        ...ownFailures('ResourceConflictError'),
      },
    }),
    async (request, reply) => {
      const { job } = await findJob(store, kind, request);
      const retried = await retryJob(dependencies, job);
      const states = { before: { state: job.state }, after: { state: retried.state } };
      await audit.note(request, {
        action: `${kind}.retried`,
        application: job.domain,
        job: job.id,
        ...states,
      });
      return success(reply, toJob(retried), 202);
    },
  );

  app.delete(
    `${path}/:id`,
    operation(`delete${name}`, `Cancel or delete ${article} ${kind} job`, {
      description: `Cancels a job that is not over; deletes one that is over, with its file. ${cancelled}`,
      params: ById,
      response: {
        200: SuccessMessage('Cancelled or deleted.', `${kind} ${completed.id} was removed`),
      },
    }),
    async (request, reply) => {
      const { job } = await findJob(store, kind, request);
      const cancelled = await cancelJob(jobs, job.id);
      if (!cancelled) await jobs.remove(job.id);
      const details = { cancelled: cancelled !== undefined };
      const what = { application: job.domain, job: job.id, details, before: { state: job.state } };
      await audit.note(request, { action: `${kind}.removed`, ...what });
      // Workers still read the parts of a job that is not over.
      if (cancelled !== 'ending') await parts.sweep(job.id);
      return success(reply, { message: `${kind} ${job.id} ${said(cancelled)}` });
    },
  );
};

function said(cancelled: Ended): string {
  if (cancelled === undefined) return 'was removed';
  return cancelled === 'ended'
    ? 'was cancelled'
    : 'is being cancelled: it ends when its work under way is done';
}

const everyMs = 500;
/** Proxies close silent connections. */
const aliveEveryMs = 15_000;

const isOver = ({ state }: JobAnswer) => state !== 'waiting' && state !== 'active';

/**
 * A job as server-sent events: `progress` when something changed, at most twice a second, and `end` when it is over.
 * A stream of a process that is draining has no `end`, so its client connects again.
 */
function jobEvents(jobs: JobStore, id: string, lifecycle: Lifecycle, signal: AbortSignal): Readable {
  async function* events(): AsyncGenerator<string> {
    let said = '';
    let saidAt = performance.now();
    while (lifecycle.phase !== 'draining') {
      const record = await jobs.glance(id);
      // The job was removed.
      if (!record) return;
      const job = toJob(record);
      const data = JSON.stringify(job);
      if (isOver(job)) {
        yield `event: end\ndata: ${data}\n\n`;
        return;
      }
      if (data !== said) {
        yield `event: progress\ndata: ${data}\n\n`;
        [said, saidAt] = [data, performance.now()];
      } else if (performance.now() - saidAt > aliveEveryMs) {
        yield ':\n\n';
        saidAt = performance.now();
      }
      await pause(everyMs, undefined, { signal });
    }
  }
  const stream = Readable.from(events());
  // A failure breaks the connection; an EventSource connects again.
  stream.on('error', () => undefined);
  return stream;
}
