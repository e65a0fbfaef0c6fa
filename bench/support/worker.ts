import { join } from 'node:path';
import { collectors } from '../../local/services/collectors.ts';
import type { Bench } from './bench.ts';
import { startServer } from './server.ts';
import { serviceEnv } from './service-env.ts';

export interface WorkerOptions {
  service: 'export-worker' | 'ingest-worker' | 'query-worker';
  database: string;
  env?: NodeJS.ProcessEnv;
}

const services = join(import.meta.dirname, '..', '..', 'services');

/** A worker as in production. */
export async function startWorker(
  bench: Bench,
  { service, database, env = {} }: WorkerOptions,
): Promise<{ pid: number }> {
  return startServer(bench, {
    name: service,
    entry: join(services, service, 'src', 'main.ts'),
    env: () => ({
      ...serviceEnv(bench, database),
      NODE_OPTIONS: (collectors as Record<string, string[]>)[service]?.join(' '),
      ...env,
    }),
    async ready({ output }) {
      if (!output().includes('process.started')) throw new Error(`the ${service} does not start`);
    },
  });
}
