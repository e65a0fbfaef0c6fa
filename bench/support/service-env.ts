import { inherited, localEnv } from '../../local/env.ts';
import type { Bench } from './bench.ts';

/** The variables of all services, as in production. */
export const serviceEnv = (bench: Bench, database: string): NodeJS.ProcessEnv => ({
  ...inherited(),
  NODE_ENV: 'production',
  LOG_LEVEL: 'info',
  MONGODB_URL: bench.databaseUrl(database),
  REDIS_URL: bench.redisUrl,
  REDIS_PREFIX: database,
  NODE_COMPILE_CACHE: localEnv().compileCache,
});
