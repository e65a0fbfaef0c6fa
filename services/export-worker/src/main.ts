import { setFlagsFromString } from 'node:v8';
import { loadExportWorkerConfig } from '@sluice/shared/config/load.ts';
import { runProcess } from '@sluice/shared/process.ts';
import { startExportWorker } from './start.ts';

// Pages of entries are large and short-lived. At the default, garbage collection takes a fifth of an export's time.
setFlagsFromString('--heap-growing-percent=130');

export const run = () => runProcess('export-worker', loadExportWorkerConfig, startExportWorker);

if (import.meta.main) await run();
