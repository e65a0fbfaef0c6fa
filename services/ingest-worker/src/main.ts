import { loadIngestWorkerConfig } from '@sluice/shared/config/load.ts';
import { runProcess } from '@sluice/shared/process.ts';
import { startIngestWorker } from './jobs.ts';

await runProcess('ingest-worker', loadIngestWorkerConfig, startIngestWorker);
