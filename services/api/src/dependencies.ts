import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { RefusalRecorder } from '@sluice/intake/refused/recorder.ts';
import type { Store } from '@sluice/jobs/connect.ts';
import type { JobQueue, Producer } from '@sluice/jobs/queue/producer.ts';
import type { Redis } from '@sluice/jobs/queue/redis.ts';
import type { Compiler } from '@sluice/schemas/compile/compiler.ts';
import type { Explainer } from '@sluice/schemas/explain/explainer.ts';
import type { ApiConfig } from '@sluice/shared/config/load.ts';
import type { Logger } from '@sluice/shared/logger.ts';
import type { Metrics } from '@sluice/shared/metrics/metrics.ts';
import type { Audit } from './audit.ts';
import type { ApplicationCache } from './known/applications.ts';
import type { Feed } from './known/feed.ts';
import type { Keyring } from './known/keyring.ts';
import type { Capacities } from './limits/capacity.ts';
import type { Quotas } from './limits/quota.ts';
import type { Counters } from './limits/rate.ts';

/** One object of the process: its phase changes while others have it. */
export interface Lifecycle {
  phase: 'starting' | 'serving' | 'draining';
}

/** What a process has when it builds its server. */
export interface AppDependencies {
  config: ApiConfig;
  log: Logger;
  store: Store;
  compiler: Compiler;
  explainer: Explainer;
  feed: Feed;
  cache: ApplicationCache;
  queues: {
    exports: JobQueue;
    jobs: JobQueue;
    purges: Producer<{ applicationId: string }>;
    invalidations: Producer<{ applicationId: string }>;
  };
  /** Where all replicas count rates together. */
  redis: Redis;
  capacity: Capacities;
  lifecycle: Lifecycle;
  refusalRecorder: RefusalRecorder;
  metrics: Metrics;
  timings: ApiTimings;
}

/** All that a feature may take. */
export interface Dependencies extends AppDependencies {
  audit: Audit;
  keyring: Keyring;
  quotas: Quotas;
  counters: Counters;
}

/** A plugin with the routes of a feature. Its parameters name what it takes. */
export type Routes<More = unknown> = FastifyPluginAsyncTypebox<Dependencies & More>;

/** What tests change: times in ms, and where files begin to be faster than MongoDB. */
export const usualTimings = {
  /** How long a streamed export waits for a worker. */
  exportWaitMs: 8_000,
  /** How often the entries of owners who upload are counted for quotas. */
  quotaCountMs: 5_000,
  /** A refusal waits so long for its details. */
  explainWaitMs: 2_000,
  /** How long each answer of an OpenID provider may take. */
  providerWaitMs: 5_000,
  /** Longer than a proxy keeps a connection: a proxy may be sending a request just when the server closes it. */
  keepAliveMs: 15_000,
  /** MongoDB looks at so many entries sooner than a query worker answers. */
  fewEntries: 200_000,
};

export type ApiTimings = typeof usualTimings;
