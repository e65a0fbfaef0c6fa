import type { ApiConfig } from '@sluice/shared/config/load.ts';
import type { Logger } from '@sluice/shared/logger.ts';
import { callsFor, type ImportCall } from '@sluice/shared/queues/imports.ts';
import type { Producer } from '@sluice/shared/queues/producer.ts';
import type { SharedCounters } from '@sluice/shared/queues/shared-counters.ts';
import type { SharedTotals } from '@sluice/shared/queues/shared-totals.ts';
import type { Compiler } from '@sluice/shared/schemas/compiler.ts';
import type { Store } from '@sluice/shared/store/connect.ts';
import { createAudit } from './audit/audit.ts';
import { plugins } from './http/plugins.ts';
import { createServer } from './http/server.ts';
import { createDownloads } from './limits/downloads.ts';
import { createFollow } from './limits/follow.ts';
import { createRefuseJobs } from './limits/job-quota.ts';
import { createStoredQuota } from './limits/stored-quota.ts';
import { applicationRoutes } from './routes/applications.ts';
import { auditRoutes } from './routes/audit.ts';
import { entryRoutes } from './routes/entries.ts';
import { exportRoutes } from './routes/exports.ts';
import { healthRoutes, type Lifecycle } from './routes/health.ts';
import { importRoutes } from './routes/imports.ts';
import { jobRoutes } from './routes/jobs.ts';
import { keyRoutes } from './routes/keys.ts';
import { userRoutes } from './routes/users.ts';
import type { ApplicationCache } from './uploads/application-cache.ts';
import { createKeyring } from './uploads/keyring.ts';
import { uploadRoutes } from './uploads/routes.ts';

export interface AppDependencies {
  config: ApiConfig;
  log: Logger;
  store: Store;
  compiler: Compiler;
  cache: ApplicationCache;
  queues: {
    exports: Producer<{ jobId: string }>;
    imports: Producer<ImportCall>;
    purges: Producer<{ applicationId: string }>;
    invalidations: Producer<{ applicationId: string }>;
  };
  /** What all replicas count together. */
  counters: SharedCounters;
  uploadTotals: SharedTotals;
  lifecycle: Lifecycle;
}

/** Builds the server: what all routes share, then the routes. It does not listen yet. */
export async function buildApp(dependencies: AppDependencies) {
  const { config, log, store, compiler, cache, queues, counters, uploadTotals, lifecycle } = dependencies;
  const app = createServer(config, log);
  await app.register(plugins, { config, log, users: store.users, cache, lifecycle });

  const audit = createAudit({ records: store.audit, retentionMs: config.auditRetentionMs, log });
  const keyring = createKeyring(store.keys);
  const storedQuota = createStoredQuota({ ...store, ...config, log });
  app.addHook('onClose', async () => storedQuota?.close());
  const jobs = {
    ...{ store, config, audit, log },
    refuseJobs: createRefuseJobs(store.jobs, config.jobQuota),
    downloads: createDownloads(),
    follow: createFollow(),
  };

  await app.register(
    async (api) => {
      await api.register(userRoutes, { users: store.users, counters, audit, config, log });
      await api.register(auditRoutes, { records: store.audit });
      await api.register(applicationRoutes, {
        ...{ applications: store.applications, compiler, cache, queues, audit, log },
        quota: config.applicationQuota,
      });
      await api.register(keyRoutes, { store, keyring, audit });
      await api.register(uploadRoutes, {
        ...{ store, cache, keyring, storedQuota, config, log },
        totals: uploadTotals,
      });
      await api.register(entryRoutes, store);
      await api.register(exportRoutes, { ...jobs, queue: queues.exports });
      await api.register(importRoutes, { ...jobs, queue: queues.imports, storedQuota });
      await api.register(jobRoutes, {
        ...jobs,
        kind: 'export',
        enqueue: (jobId) => queues.exports.add({ jobId }),
      });
      await api.register(jobRoutes, {
        ...jobs,
        kind: 'import',
        enqueue: (jobId) => Promise.all(callsFor(jobId).map(queues.imports.add)),
      });
      await api.register(healthRoutes, { store, lifecycle, queues });
    },
    { prefix: '/api' },
  );
  app.refuseOtherMethods();
  return app;
}
