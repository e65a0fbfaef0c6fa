import { setPriority } from 'node:os';
import { setFlagsFromString } from 'node:v8';
import { loadExportWorkerConfig } from '@sluice/shared/config/load.ts';
import { runProcess } from '@sluice/shared/process.ts';
import { startExportWorker } from './start.ts';

// Pages of entries are large and short-lived, and V8 would walk the whole heap for every few of them.
setFlagsFromString('--heap-growing-percent=100');

// Uploads go first where they share a processor.
setPriority(10);

export const run = () => runProcess('export-worker', loadExportWorkerConfig, startExportWorker);

if (import.meta.main) await run();
