import type { ApiConfig } from '@sluice/shared/config/load.ts';
import type { Logger } from '@sluice/shared/logger.ts';
import type { JobQueue } from '@sluice/shared/queues/job-queue.ts';
import type { Producer } from '@sluice/shared/queues/producer.ts';
import type { Redis } from '@sluice/shared/queues/redis.ts';
import type { Compiler } from '@sluice/shared/schemas/compiler.ts';
import type { Store } from '@sluice/shared/store/connect.ts';
import { createAudit } from './audit/audit.ts';
import { plugins } from './http/plugins.ts';
import { createServer } from './http/server.ts';
import type { Capacities } from './limits/capacity.ts';
import { createQuotas } from './limits/quota.ts';
import { createCounters } from './limits/rate.ts';
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
    exports: JobQueue;
    imports: JobQueue;
    purges: Producer<{ applicationId: string }>;
    invalidations: Producer<{ applicationId: string }>;
  };
  /** Where all replicas count together. */
  redis: Redis;
  capacity: Capacities;
  lifecycle: Lifecycle;
}

/** Builds the server: what all routes share, then the routes. It does not listen yet. */
export async function buildApp(dependencies: AppDependencies) {
  const { config, log, store, compiler, cache, queues, redis, capacity, lifecycle } = dependencies;
  const app = createServer(config, log);
  await app.register(plugins, { config, log, users: store.users, cache, lifecycle });

  const audit = createAudit({ records: store.audit, retentionMs: config.auditRetentionMs, log });
  const keyring = createKeyring(store.keys);
  const quotas = createQuotas({ store, config, log });
  app.addHook('onClose', async () => quotas.close());
  const counters = createCounters(redis, config.redis);
  const jobs = { store, quotas, capacity, config, audit, log };

  await app.register(
    async (api) => {
      await api.register(userRoutes, { users: store.users, counters, capacity, audit, config, log });
      await api.register(auditRoutes, { records: store.audit });
      await api.register(applicationRoutes, {
        ...{ applications: store.applications, compiler, cache, queues, quotas, capacity, audit, log },
      });
      await api.register(keyRoutes, { store, keyring, audit });
      await api.register(uploadRoutes, {
        ...{ store, cache, keyring, redis, quotas, capacity, config, log },
      });
      await api.register(entryRoutes, { ...store, capacity });
      await api.register(exportRoutes, { ...jobs, queue: queues.exports });
      await api.register(importRoutes, { ...jobs, queue: queues.imports });
      for (const kind of ['export', 'import'] as const)
        await api.register(jobRoutes, { ...jobs, kind, queue: queues[`${kind}s`] });
      await api.register(healthRoutes, { store, lifecycle, queues });
    },
    { prefix: '/api' },
  );
  app.refuseOtherMethods();
  return app;
}
