import { createRefusalRecorder } from '@sluice/intake/refused/recorder.ts';
import { connectStore } from '@sluice/jobs/connect.ts';
import type { JobKind } from '@sluice/jobs/kind.ts';
import { announceChange } from '@sluice/jobs/queue/broadcast.ts';
import { counted, createJobMetrics } from '@sluice/jobs/queue/job-metrics.ts';
import { createJobQueue } from '@sluice/jobs/queue/job-queue.ts';
import { monitorRedis } from '@sluice/jobs/queue/monitor.ts';
import { createProducer } from '@sluice/jobs/queue/producer.ts';
import { invalidationsQueue, jobsQueue, purgesQueue } from '@sluice/jobs/queue/queues.ts';
import { connectRedis } from '@sluice/jobs/queue/redis.ts';
import { timings as usual } from '@sluice/jobs/queue/timings.ts';
import { type RunningWorker, startWorker } from '@sluice/jobs/queue/worker.ts';
import type { JobRecord } from '@sluice/jobs/record/job-records.ts';
import { createRun } from '@sluice/jobs/run.ts';
import { createCompiler } from '@sluice/schemas/compile/compiler.ts';
import type { IngestWorkerConfig } from '@sluice/shared/config/load.ts';
import type { Logger } from '@sluice/shared/logger.ts';
import { createMetrics } from '@sluice/shared/metrics/metrics.ts';
import { untilPrepared } from '@sluice/store/until-prepared.ts';
import { createClean } from './clean.ts';
import { deletionKind } from './deletion/deletion-kind.ts';
import { startExpiring } from './deletion/start.ts';
import { importKind } from './import/import-kind.ts';
import { startMilestones } from './milestones/start.ts';
import { monitorBackups } from './monitor-backups.ts';
import { createPurge } from './purge.ts';
import { replayKind } from './refused/replay-kind.ts';
import { createTrimRefused } from './refused/trim-refused.ts';
import { rehearsalKind } from './rehearsal/rehearsal-kind.ts';

const purgesAtOnce = 500;

/** What this service does: the queues it takes from, their handlers, what becomes of work that Redis forgot, and the settling beside them. */
export async function startIngestWorker(
  config: IngestWorkerConfig,
  log: Logger,
  timings = usual,
): Promise<RunningWorker> {
  const { retentionMs } = config;
  // An insert is sent twice, and each time has its steps.
  const graceMs = 3 * config.mongodb.timeoutMs + timings.lateUploadMs;
  const metrics = createMetrics(config.metrics);
  const store = connectStore(config.mongodb, 'sluice-ingest-worker', 'patient', metrics);
  const redis = connectRedis(config.redis, log, 'impatient');
  monitorRedis(redis, metrics);
  monitorBackups(store.operations, metrics);
  const invalidations = createProducer(invalidationsQueue, redis, config.redis, log);
  const purges = createProducer(purgesQueue, redis, config.redis, log);
  const queue = createJobQueue(jobsQueue, store.jobs, redis, config.redis, log);
  const compiler = createCompiler({ metrics, log });
  const refusalRecorder = createRefusalRecorder(store, log);
  await untilPrepared(store, log);
  const stopMilestones = startMilestones(store, log);
  const stopExpiring = startExpiring(store, config.auditRetentionMs, log);
  const { leaseMs } = timings;
  const run = <Job extends JobRecord>(kind: JobKind<Job>) =>
    createRun(
      { store, queue, retentionMs, timings, metrics: createJobMetrics(kind.kind, metrics), log },
      kind,
    );
  const cleanJobs = createClean({ store, log });
  const trimRefused = createTrimRefused(store);
  return startWorker({
    config,
    timings,
    log,
    metrics,
    tasks: [
      {
        queue: invalidations,
        handlers: {
          invalidation: counted(
            ({ applicationId }) => announceChange(redis, config.redis, applicationId),
            createJobMetrics('invalidation', metrics),
          ),
        },
      },
      {
        queue: purges,
        concurrency: 1,
        handlers: {
          purge: counted(createPurge({ store, graceMs, log }), createJobMetrics('purge', metrics)),
        },
        async recover() {
          for (const applicationId of await store.applications.unpurged(purgesAtOnce))
            await purges.add({ applicationId });
        },
      },
      {
        queue,
        handlers: {
          import: run(importKind({ store, compiler, refusalRecorder, leaseMs, log })),
          rehearsal: run(rehearsalKind({ store, compiler, leaseMs })),
          deletion: run(deletionKind({ store, leaseMs, log })),
          replay: run(replayKind({ store, compiler, leaseMs })),
        },
        recover: () => queue.recover(timings.forgottenMs),
      },
    ],
    async clean() {
      await cleanJobs();
      await trimRefused();
    },
    close: async () => {
      stopMilestones();
      stopExpiring();
      redis.disconnect();
      await refusalRecorder.close();
      await Promise.all([compiler.close(), store.close()]);
    },
  });
}
