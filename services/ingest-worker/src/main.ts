import { setFlagsFromString } from 'node:v8';
import { loadIngestWorkerConfig } from '@sluice/shared/config/load.ts';
import { runProcess } from '@sluice/shared/process.ts';
import { startIngestWorker } from './start.ts';

// Chunks of imports come and go as megabytes, beside a heap of which little changes: the collector need not walk all of it
// several times a second.
setFlagsFromString('--heap-growing-percent=150');

export const run = () => runProcess('ingest-worker', loadIngestWorkerConfig, startIngestWorker);

if (import.meta.main) await run();
