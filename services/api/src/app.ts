import type { JobQueue } from '@sluice/queues/job-queue.ts';
import type { Producer } from '@sluice/queues/producer.ts';
import type { Redis } from '@sluice/queues/redis.ts';
import type { Compiler } from '@sluice/schemas/compile/compiler.ts';
import type { ApiConfig } from '@sluice/shared/config/load.ts';
import type { Logger } from '@sluice/shared/logger.ts';
import type { Store } from '@sluice/store/connect.ts';
import { userRoutes } from './accounts/routes.ts';
import type { ApplicationCache } from './applications/cache.ts';
import { applicationRoutes } from './applications/routes.ts';
import { createAudit } from './audit/audit.ts';
import { auditRoutes } from './audit/routes.ts';
import { entryRoutes } from './entries/routes.ts';
import { exportRoutes } from './exports/routes.ts';
import { healthRoutes, type Lifecycle } from './http/health.ts';
import { plugins } from './http/plugins.ts';
import { createServer } from './http/server.ts';
import { importRoutes } from './imports/routes.ts';
import { jobRoutes } from './jobs/routes.ts';
import { createKeyring } from './keys/keyring.ts';
import { keyRoutes } from './keys/routes.ts';
import type { Capacities } from './limits/capacity.ts';
import { createQuotas } from './limits/quota.ts';
import { createCounters } from './limits/rate.ts';
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
