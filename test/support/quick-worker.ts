import { loadExportWorkerConfig, loadIngestWorkerConfig } from '@sluice/shared/config/load.ts';
import { runProcess } from '@sluice/shared/process.ts';
import { quickTimings } from './quick-timings.ts';

/** Starts a worker as its main.ts does, but with the timings of tests. */
const [service] = process.argv.slice(2);

if (service === 'export-worker') {
  const { startExportWorker } = await import('@sluice/export-worker/start.ts');
  const { roughArchives } = await import('./rough-archives.ts');
  await runProcess(service, loadExportWorkerConfig, (config, log) =>
    startExportWorker(config, log, quickTimings, roughArchives()),
  );
} else {
  const { startIngestWorker } = await import('@sluice/ingest-worker/start.ts');
  await runProcess('ingest-worker', loadIngestWorkerConfig, (config, log) =>
    startIngestWorker(config, log, quickTimings),
  );
}
