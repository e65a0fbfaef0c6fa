import { join } from 'node:path';
import type { Bench } from './bench.ts';
import { startServer } from './server.ts';
import { serviceEnv } from './service-env.ts';

export interface WorkerOptions {
  service: 'export-worker' | 'ingest-worker';
  database: string;
}

const services = join(import.meta.dirname, '..', '..', 'services');

/** As compose and `npm start` have it. */
const options = {
  'export-worker': { NODE_OPTIONS: '--max-semi-space-size=4' },
  'ingest-worker': { NODE_OPTIONS: '--max-semi-space-size=4' },
};

/** A worker as in production. */
export async function startWorker(
  bench: Bench,
  { service, database }: WorkerOptions,
): Promise<{ pid: number }> {
  return startServer(bench, {
    name: service,
    entry: join(services, service, 'src', 'main.ts'),
    env: () => ({ ...serviceEnv(bench, database), ...options[service] }),
    async ready({ output }) {
      if (!output().includes('process.started')) throw new Error(`the ${service} does not start`);
    },
  });
}
