import { startExportWorker } from '@sluice/export-worker/start.ts';
import { startIngestWorker } from '@sluice/ingest-worker/start.ts';
import { loadExportWorkerConfig, loadIngestWorkerConfig } from '@sluice/shared/config/load.ts';
import { createLogger } from '@sluice/shared/logger.ts';
import { onTestFinished } from 'vitest';
import { quickTimings } from './quick-timings.ts';

const log = createLogger('test', { level: process.env.TEST_LOG ?? 'silent', pretty: false });

/** A worker in this process: soon started, but it cannot be killed. Stopped when the test ends. Call in a test. */
export async function startQuickWorker(
  service: 'ingest-worker' | 'export-worker',
  env: Record<string, string>,
): Promise<{ stop(): Promise<void> }> {
  const worker = await (service === 'export-worker'
    ? startExportWorker(loadExportWorkerConfig(env), log, quickTimings)
    : startIngestWorker(loadIngestWorkerConfig(env), log, quickTimings));
  let stopped: Promise<void> | undefined;
  const stop = () => {
    stopped ??= worker.stop();
    return stopped;
  };
  onTestFinished(stop);
  return { stop };
}
