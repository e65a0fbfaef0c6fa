import type { Store } from '@sluice/jobs/connect.ts';
import { createJobQueue } from '@sluice/jobs/queue/producer.ts';
import { queueOf } from '@sluice/jobs/queue/queues.ts';
import { isRetriable, isUnfinished, type JobRecord } from '@sluice/jobs/record/job-records.ts';
import { waitAgain } from '@sluice/jobs/record/wait-again.ts';
import type { AuditEvent } from '@sluice/store/accounts/audit.ts';
import type { AuditAction } from '@sluice/store/accounts/audit-actions.ts';
import { AdminError } from '../admin-error.ts';
import { createNote } from '../audit.ts';
import { openRedis } from '../inspect-redis.ts';
import { log } from '../log.ts';
import type { Opened } from '../with-store.ts';

/** How long a cancelled job is kept. */
const keptMs = 3_600_000;

/** A worker starts the job within about 10 s. */
export async function retry(opened: Opened, id: string): Promise<void> {
  const [store, , { console }] = opened;
  const job = await findJob(store, id);
  if (!isRetriable(job) || !(await waitAgain(store, job)))
    throw new AdminError(`${job.kind} ${id} is ${job.state}, or was streamed: it cannot be retried`);
  await note(opened, job, `${job.kind}.retried`, {
    before: { state: job.state },
    after: { state: 'waiting' },
  });
  console.error(`${job.kind} ${id} waits again`);
}

export async function cancel(opened: Opened, id: string): Promise<void> {
  const [store, , { console }] = opened;
  const job = await findJob(store, id);
  const cancelled = await store.jobs.cancel(id, new Date(Date.now() + keptMs));
  if (!cancelled) throw new AdminError(`${job.kind} ${id} is over already`);
  await note(opened, job, `${job.kind}.removed`, { before: { state: job.state } });
  // Workers still read the parts of a job that is not over.
  if (cancelled === 'ended') await store.parts.sweep(id);
  console.error(`${job.kind} ${id} ${cancelled === 'ended' ? 'was' : 'is being'} cancelled`);
}

export async function requeue([store, config, { console }]: Opened, id: string): Promise<void> {
  const job = await findJob(store, id);
  if (!isUnfinished(job)) throw new AdminError(`${job.kind} ${id} is ${job.state}: no worker needs it`);
  const redisConfig = config.redis();
  const redis = await openRedis(redisConfig, log);
  try {
    await createJobQueue(queueOf(job.kind), store.jobs, redis, redisConfig, log).requeue(job);
  } finally {
    redis.disconnect();
  }
  console.error(`${job.kind} ${id} is on its queue`);
}

async function findJob({ jobs }: Store, id: string): Promise<JobRecord> {
  const found = await jobs.get(id);
  if (!found) throw new AdminError(`job ${id} was not found; \`sluice-admin jobs list\` lists them`);
  return found;
}

async function note(
  [store, config]: Opened,
  job: JobRecord,
  action: AuditAction,
  states: Pick<AuditEvent, 'before' | 'after'>,
): Promise<void> {
  const owner = await store.users.byId(job.owner);
  const event = { action, application: job.domain, job: job.id, ...states };
  if (owner) await createNote(store, config)(owner, event);
}
