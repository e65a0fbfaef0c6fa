import { createRefusalRecorder } from '@sluice/intake/refused/recorder.ts';
import { createClean } from '@sluice/jobs/clean.ts';
import { counted, createJobMetrics } from '@sluice/jobs/queue/monitor.ts';
import { createProducer } from '@sluice/jobs/queue/producer.ts';
import { invalidationsQueue, jobsQueue, purgesQueue, timings as usual } from '@sluice/jobs/queue/queues.ts';
import { announceChange } from '@sluice/jobs/queue/redis.ts';
import { openWorker, type RunningWorker, startWorker } from '@sluice/jobs/worker.ts';
import { createCompiler } from '@sluice/schemas/compile/compiler.ts';
import { createExplainer } from '@sluice/schemas/explain/explainer.ts';
import type { IngestWorkerConfig } from '@sluice/shared/config/load.ts';
import type { Logger } from '@sluice/shared/logger.ts';
import { startAlerts } from './alerts/start.ts';
import { deletionKind } from './deletion/deletion-kind.ts';
import { startExpiring } from './deletion/expire-entries.ts';
import { createDownload } from './import/download.ts';
import { importKind } from './import/import-kind.ts';
import { receiveKind } from './import/receive-kind.ts';
import { startReceiving } from './import/start-receiving.ts';
import { startMails } from './mail/start.ts';
import { startMilestones } from './milestones/start.ts';
import { monitorBackups } from './monitor-backups.ts';
import { createPurge } from './purge.ts';
import { replayKind } from './refused/replay-kind.ts';
import { createTrimRefused } from './refused/trim-refused.ts';
import { rehearsalKind } from './rehearsal/rehearsal-kind.ts';
import { uniqueKind } from './unique/unique-kind.ts';
import { createPost } from './webhooks/post.ts';
import { startWebhooks } from './webhooks/start.ts';

const purgesAtOnce = 500;
/** Nobody waits for the answer, and a report keeps what was found. */
const explainWaitMs = 60_000;

/** Does all jobs except exports, purges and announces applications, sets milestones, and deletes expired entries. */
export async function startIngestWorker(
  config: IngestWorkerConfig,
  log: Logger,
  timings = usual,
): Promise<RunningWorker> {
  // Worst case: the driver sends an insert twice, and each attempt has several steps.
  const graceMs = 3 * config.mongodb.timeoutMs + timings.lateUploadMs;
  const { metrics, store, redis, queue, handlerOf, jobsTask } = await openWorker(
    'sluice-ingest-worker',
    jobsQueue,
    config,
    timings,
    log,
  );
  monitorBackups(store.backup, metrics);
  const invalidations = createProducer(invalidationsQueue, redis, config.redis, log);
  const purges = createProducer(purgesQueue, redis, config.redis, log);
  const compiler = createCompiler({ metrics });
  const explainer = createExplainer({
    metrics,
    log,
    waitMs: explainWaitMs,
    onDisagreement: (way) => void store.disagreements.note(way).catch(() => undefined),
  });
  const refusalRecorder = createRefusalRecorder(store, log);
  const stopMilestones = startMilestones(store, log);
  const post = createPost(config.outboundAllow);
  const stopWebhooks = startWebhooks({ store, post, metrics, retryMs: timings.webhookRetryMs }, log);
  const { leaseMs, alertsMs, silenceMs, mailRetryMs: retryMs } = timings;
  const stopAlerts = startAlerts({ store, metrics, log, alertsMs, silenceMs });
  const { mail } = config;
  const stopMails = startMails({ store, mail, metrics, log, mailsMs: alertsMs, retryMs });
  const download = createDownload(config.outboundAllow);
  const received = receiveKind({ store, queue, download, leaseMs, log });
  const stopReceiving = startReceiving(store.jobs, handlerOf(received), log);
  const stopExpiring = startExpiring(store, config.auditRetentionMs, log);
  const cleanJobs = createClean(store, log);
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
      jobsTask(
        importKind({ store, compiler, explainer, refusalRecorder, leaseMs, log }),
        rehearsalKind({ store, compiler, explainer, leaseMs }),
        deletionKind({ store, leaseMs, log }),
        replayKind({ store, compiler, explainer, leaseMs }),
        uniqueKind({ store, leaseMs, log }),
      ),
    ],
    async clean() {
      await cleanJobs();
      await trimRefused();
    },
    close: async () => {
      await Promise.all([stopWebhooks(), stopReceiving(), stopMails()]);
      stopAlerts();
      stopMilestones();
      stopExpiring();
      redis.disconnect();
      await refusalRecorder.close();
      await Promise.all([compiler.close(), explainer.close(), store.close()]);
    },
  });
}
