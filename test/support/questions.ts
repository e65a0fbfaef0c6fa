import { startQueryWorker } from '@sluice/query-worker/start.ts';
import { loadQueryWorkerConfig } from '@sluice/shared/config/load.ts';
import { createLogger } from '@sluice/shared/logger.ts';
import { lowPort } from './low-port.ts';

/** The settings by which an API finds a query worker that starts sooner or later. */
export async function questionSettings(): Promise<Record<string, string>> {
  const port = String(await lowPort());
  return { QUERY_PORT: port, QUERY_URL: `http://127.0.0.1:${port}` };
}

/** Starts the query worker of such settings. */
export function startQuestions(env: Record<string, string>): ReturnType<typeof startQueryWorker> {
  const log = createLogger('test', { level: process.env.TEST_LOG ?? 'silent', pretty: false });
  return startQueryWorker(loadQueryWorkerConfig(env), log);
}
