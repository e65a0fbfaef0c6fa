import type { Store } from '@sluice/jobs/connect.ts';
import { queueOf } from '@sluice/jobs/queue/queues.ts';
import { isRetriable, isUncut, type JobRecord } from '@sluice/jobs/record/job-records.ts';
import type { Ended, JobStore } from '@sluice/jobs/record/jobs.ts';
import { toJob } from '@sluice/jobs/record/to-job.ts';
import { waitAgain } from '@sluice/jobs/record/wait-again.ts';
import { ApiError, unavailable } from '@sluice/shared/errors.ts';
import type { ApplicationRecord } from '@sluice/store/applications/applications.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Audit } from '../audit.ts';
import type { Dependencies } from '../dependencies.ts';
import { success } from '../http/answers.ts';
import { findApplication, type OfApplication } from '../http/find-application.ts';
import { notFound } from '../http/refusals.ts';

type KindOfJob = JobRecord['kind'];

export const inAnHour = () => new Date(Date.now() + 3_600_000);

/** A job of the owner's application. Throws the same ApiError for a job of another owner as for no job. */
export async function findJob(
  { applications, jobs }: Pick<Store, 'applications' | 'jobs'>,
  kind: KindOfJob,
  request: OfApplication & Pick<FastifyRequest<{ Params: { domain: string; id: string } }>, 'params'>,
): Promise<{ application: ApplicationRecord; job: JobRecord }> {
  const { id } = request.params;
  const application = await findApplication(applications, request);
  const job = await jobs.get(id);
  if (job?.application !== application.id || job.kind !== kind) throw notFound(kind, id);
  return { application, job };
}

/** Puts a new job on its queue. If the queue is away, cancels the job and throws ApiError, which begins with `what`. */
export async function enqueueOrCancel<Job extends JobRecord>(
  { store: { jobs }, queues, log }: Pick<Dependencies, 'store' | 'queues' | 'log'>,
  job: Job,
  what: string,
): Promise<Job> {
  const { id, kind } = job;
  try {
    await queues[queueOf(kind).name].enqueue(job);
    return job;
  } catch (error) {
    log.warn({ event: `${kind}.refused`, job: id, reason: (error as Error).message });
    await jobs.cancel(id, new Date());
    throw unavailable(`${what} now: the queue is away`, 5, error);
  }
}

/** Puts a job on its queue. If the queue is away, a sweep does so later. */
export const enqueueOrSweep = (
  { queues, log }: Pick<Dependencies, 'queues' | 'log'>,
  job: JobRecord,
): Promise<void> =>
  queues[queueOf(job.kind).name]
    .enqueue(job)
    .catch((error) => log.warn({ event: 'queue.missed', job: job.id, reason: error.message }));

/** Puts a new job on its queue like `enqueueOrCancel`, and answers with it. */
export const queueAndSend = async (
  dependencies: Pick<Dependencies, 'store' | 'queues' | 'log' | 'audit'>,
  request: FastifyRequest,
  reply: FastifyReply,
  job: JobRecord,
  what: string,
) => sendMade(dependencies.audit, request, reply, await enqueueOrCancel(dependencies, job, what));

export async function sendMade(audit: Audit, request: FastifyRequest, reply: FastifyReply, job: JobRecord) {
  await audit.note(request, { action: `${job.kind}.made`, application: job.domain, job: job.id });
  return success(reply, toJob(job), 202);
}

/** Cancels a job, whose record stays for an hour. Undefined if the job was over. */
export const cancelJob = (jobs: JobStore, id: string): Promise<Ended> => jobs.cancel(id, inAnHour());

/** Lets a failed job wait again and continue. Throws ApiError if the job has not failed, or too many are unfinished. */
export async function retryJob(
  dependencies: Pick<Dependencies, 'store' | 'queues' | 'quotas' | 'log'>,
  job: JobRecord,
): Promise<JobRecord> {
  const { store, quotas, log } = dependencies;
  if (!isRetriable(job)) throw notFailed(job);
  await quotas.check('jobs', job.owner);
  const retried = await waitAgain(store, job);
  if (!retried) {
    const now = await store.jobs.get(job.id);
    throw now ? notFailed(now) : notFound(job.kind, job.id);
  }
  log.info({ event: `${job.kind}.retried`, job: job.id, done: retried.done });
  // A worker that has cut the file puts the job on the queue.
  if (!isUncut(retried)) await enqueueOrSweep(dependencies, retried);
  return retried;
}

function notFailed(job: JobRecord): ApiError {
  const message =
    job.state !== 'failed'
      ? `it is ${job.state}, and only a failed one can be retried`
      : isUncut(job)
        ? 'its file could not be read, and is not kept; send it again'
        : 'it was streamed to a client that is gone; ask for another export';
  return new ApiError('ResourceConflictError', `${job.kind} ${job.id} cannot be retried: ${message}`);
}
