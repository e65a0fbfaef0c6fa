import { loadExportWorkerConfig } from '@sluice/shared/config/load.ts';
import { runProcess } from '@sluice/shared/process.ts';
import { startExportWorker } from './jobs.ts';

await runProcess('export-worker', loadExportWorkerConfig, startExportWorker);
