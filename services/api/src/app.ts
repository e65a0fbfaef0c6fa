import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { ApiConfig } from '@sluice/shared/config/load.ts';
import { createExaminer } from '@sluice/shared/intake/examiner.ts';
import { createRecordLeaves } from '@sluice/shared/intake/record-leaves.ts';
import type { Logger } from '@sluice/shared/logger.ts';
import type { JobQueue } from '@sluice/shared/queues/job-queue.ts';
import type { Producer } from '@sluice/shared/queues/producer.ts';
import type { SharedCounters } from '@sluice/shared/queues/shared-counters.ts';
import type { SharedTotals } from '@sluice/shared/queues/shared-totals.ts';
import type { Compiler } from '@sluice/shared/schemas/compiler.ts';
import type { Store } from '@sluice/shared/store/connect.ts';
import fastify, { LogController } from 'fastify';
import { createPasswords } from './accounts/passwords.ts';
import { createRenewHash } from './accounts/renew-hash.ts';
import { createAudit } from './audit/audit.ts';
import { createExport } from './exports/create-export.ts';
import { createStreamExport } from './exports/stream-export.ts';
import { createImport } from './imports/create-import.ts';
import { createRetryJob } from './jobs/retry-job.ts';
import { createDownloads } from './limits/downloads.ts';
import { createFollow } from './limits/follow.ts';
import { createRefuseJobs } from './limits/job-quota.ts';
import { limitAddresses } from './limits/limit-addresses.ts';
import { createLoginGuard } from './limits/login-guard.ts';
import { createRefuseExports } from './limits/stored-exports.ts';
import { createStoredQuota } from './limits/stored-quota.ts';
import { noteAnswer, noteAnswers } from './plugins/answers.ts';
import { auth } from './plugins/auth.ts';
import { answerClientError } from './plugins/client-errors.ts';
import { connectionLimit } from './plugins/connection-limit.ts';
import { answerError, envelope } from './plugins/envelope.ts';
import { headerLimitBytes } from './plugins/head-limits.ts';
import { headers, ofFailure } from './plugins/headers.ts';
import { jsonBody } from './plugins/json-body.ts';
import { lingers } from './plugins/lingering.ts';
import { methods } from './plugins/methods.ts';
import { openapi } from './plugins/openapi.ts';
import { origins } from './plugins/origins.ts';
import { pipelining } from './plugins/pipelining.ts';
import { requestHeads } from './plugins/request-heads.ts';
import { slowBodies } from './plugins/slow-bodies.ts';
import { validation } from './plugins/validation.ts';
import { createRequestIds } from './request-ids.ts';
import { applicationRoutes } from './routes/applications.ts';
import { auditRoutes } from './routes/audit.ts';
import { entryRoutes } from './routes/entries.ts';
import { exportRoutes } from './routes/exports.ts';
import { healthRoutes, type Phase } from './routes/health.ts';
import { importRoutes } from './routes/imports.ts';
import { jobRoutes } from './routes/jobs.ts';
import { keyRoutes } from './routes/keys.ts';
import { batchRoutes, uploadRoutes } from './routes/uploads.ts';
import { userRoutes } from './routes/users.ts';
import { createAccept } from './uploads/accept.ts';
import { createAdmit } from './uploads/admit.ts';
import type { ApplicationCache } from './uploads/application-cache.ts';
import { createDryRun } from './uploads/batch/dry-run.ts';
import { createExamineLines } from './uploads/batch/examine-lines.ts';
import { createStoreBatch } from './uploads/batch/store-batch.ts';
import { createGroupCommit } from './uploads/group-commit.ts';
import { createKeyring } from './uploads/keyring.ts';
import { createUploadLimit } from './uploads/upload-limit.ts';

export interface AppDependencies {
  config: ApiConfig;
  log: Logger;
  store: Store;
  compiler: Compiler;
  cache: ApplicationCache;
  queues: {
    exports: JobQueue;
    imports: JobQueue;
    purges: Producer<{ applicationId: string }>;
    invalidations: Producer<{ applicationId: string }>;
  };
  /** What all replicas count together. */
  counters: SharedCounters;
  uploadTotals: SharedTotals;
  phase(): Phase;
}

const requestId = /^[\w.:-]{1,128}$/;

/** A logger for each request costs as much as its routing; whoever logs in one names its id. */
function childless(log: Logger): Logger {
  const same: Logger = Object.create(log, { child: { value: () => same } });
  return same;
}

/** Of any body but an upload's. A schema of 256 KiB as a JSON string fits. */
const bodyLimit = 1024 ** 2;

/** Builds the server: plugins, then routes. It does not listen yet. */
export async function buildApp({
  config,
  log,
  store,
  compiler,
  cache,
  queues,
  counters,
  uploadTotals,
  phase,
}: AppDependencies) {
  const newId = createRequestIds();
  const { trustProxy } = config;
  const app = fastify({
    loggerInstance: childless(log),
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: ({ headers: { 'x-request-id': given } }) =>
      typeof given === 'string' && requestId.test(given) ? given : newId(),
    bodyLimit,
    // Fastify itself believes nobody where it is told a number.
    trustProxy: typeof trustProxy === 'number' ? (_address, hop) => hop < trustProxy : trustProxy,
    // See plugins/slow-bodies.ts.
    requestTimeout: 0,
    // Longer than a proxy keeps one: who closes first must not be whom a request is just being sent to.
    keepAliveTimeout: 15_000,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    routerOptions: { maxParamLength: 200, ignoreTrailingSlash: true },
    clientErrorHandler: answerClientError,
    frameworkErrors: (error, request, reply) => {
      // No hook has seen it.
      noteAnswer(reply);
      return answerError(error, request, reply.headers(ofFailure));
    },
    http: {
      connectionsCheckingInterval: 1_000,
      headersTimeout: Math.min(config.requestTimeoutMs, 10_000),
      maxHeaderSize: headerLimitBytes,
      // See plugins/request-heads.ts.
      requireHostHeader: false,
    },
  }).withTypeProvider<TypeBoxTypeProvider>();

  await app.register(envelope);
  await app.register(jsonBody);
  await app.register(validation);
  await app.register(lingers);
  await app.register(connectionLimit, { most: config.maxConnections, log });
  app.addHook('onRequest', noteAnswers);
  await app.register(pipelining);
  await app.register(requestHeads);
  await app.register(origins, { cache });
  await app.register(headers, config);
  await app.register(auth, { users: store.users, ...config.jwt });
  await app.register(openapi);
  await app.register(methods);

  await app.register(slowBodies, {
    timeoutMs: config.requestTimeoutMs,
    closingMs: (config.shutdownTimeoutMs - config.drainDelayMs) / 2,
  });

  app.addHook('onSend', (_request, reply, _payload, done) => {
    // A client that keeps its connection would find it closed.
    if (phase() === 'draining') reply.header('connection', 'close');
    done();
  });
  if (log.isLevelEnabled('debug')) {
    app.addHook('onResponse', (request, reply, done) => {
      const { method, id, routeOptions } = request;
      const ms = Math.round(reply.elapsedTime * 10) / 10;
      log.debug({ event: 'request', id, method, route: routeOptions.url, status: reply.statusCode, ms });
      done();
    });
  }

  /** What MongoDB has is what counts; the queues make it quicker. */
  async function announce(
    applicationId: string,
    targets: Producer<{ applicationId: string }>[],
  ): Promise<void> {
    cache.drop(applicationId);
    const added = await Promise.allSettled(targets.map((queue) => queue.add({ applicationId })));
    for (const result of added) {
      if (result.status === 'rejected') {
        log.warn({ event: 'queue.missed', application: applicationId, reason: result.reason.message });
      }
    }
  }

  const { users } = store;
  const passwords = createPasswords(config.bcryptCost);
  app.addHook('onClose', () => passwords.close());
  const renewHash = createRenewHash({ users, passwords, log });
  const { registrationOpen } = config;
  const limits = {
    register: limitAddresses(counters, config.registerRate, 'registrations'),
    login: limitAddresses(counters, config.loginRate, 'logins'),
  };
  const guard = createLoginGuard(counters);
  const uploadLimit = config.uploadRate && createUploadLimit(config.uploadRate, uploadTotals);
  const storedQuota = createStoredQuota({ ...store, ...config, log });
  app.addHook('onClose', async () => {
    uploadLimit?.close();
    storedQuota?.close();
  });
  const refuseJobs = createRefuseJobs(store.jobs, config.jobQuota);
  const audit = createAudit({ records: store.audit, retentionMs: config.auditRetentionMs, log });
  const keyring = createKeyring({ keys: store.keys, size: config.schemaCacheSize });
  const recordLeaves = createRecordLeaves(store.leaves);
  const examiner = createExaminer(recordLeaves, log);
  app.addHook('onClose', () => examiner.close());
  const uploading = {
    cache,
    admit: createAdmit(keyring),
    commit: createGroupCommit(store.entries.insert),
    storedQuota,
    ...{ examiner, recordLeaves },
  };
  const examineLines = createExamineLines(config.bodyLimit, examiner, log);
  await app.register(
    async (api) => {
      await api.register(userRoutes, { users, passwords, renewHash, registrationOpen, limits, guard, audit });
      await api.register(auditRoutes, { records: store.audit });
      await api.register(applicationRoutes, {
        applications: store.applications,
        compiler,
        quota: config.applicationQuota,
        onAccessChanged: (id) => announce(id, [queues.invalidations]),
        onDeleted: (id) => announce(id, [queues.invalidations, queues.purges]),
        audit,
      });
      await api.register(keyRoutes, { store, onChanged: keyring.forget, audit });
      await api.register(uploadRoutes, {
        accept: createAccept(uploading),
        limit: uploadLimit,
        bodyLimit: config.bodyLimit,
      });
      await api.register(batchRoutes, {
        cache,
        admit: uploading.admit,
        storeBatch: createStoreBatch({ ...uploading, batches: store.batches, examineLines }),
        dryRun: createDryRun({ cache, examineLines }),
        limit: uploadLimit,
        bodyLimit: config.batchLimit,
        lineCount: config.batchLines,
      });
      await api.register(entryRoutes, store);
      const queue = queues.exports;
      const downloads = createDownloads();
      const follow = createFollow();
      await api.register(exportRoutes, {
        store,
        makeExport: createExport({
          ...{ store, queue, refuseJobs, log },
          refuseExports: createRefuseExports(store.jobs, config.storedExportQuota),
        }),
        streamExport: createStreamExport({ store, queue, waitMs: config.exportWaitMs, audit }),
        downloads,
        audit,
      });
      await api.register(importRoutes, {
        store,
        makeImport: createImport({
          store,
          queue: queues.imports,
          limit: config.importLimit,
          quota: config.importQuota,
          lineLimit: config.bodyLimit,
          ...{ refuseJobs, storedQuota },
          log,
        }),
        audit,
      });
      for (const kind of ['export', 'import'] as const) {
        const retryJob = createRetryJob({ store, queue: queues[`${kind}s`], refuseJobs, log });
        await api.register(jobRoutes, { store, kind, retryJob, audit, downloads, follow });
      }
      await api.register(healthRoutes, {
        store,
        phase,
        workers: async () => ({
          exports: await queues.exports.workers(),
          purges: await queues.purges.workers(),
        }),
      });
    },
    { prefix: '/api' },
  );
  app.refuseOtherMethods();
  return app;
}
