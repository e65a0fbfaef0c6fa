import { setPriority } from 'node:os';
import { loadQueryWorkerConfig } from '@sluice/shared/config/load.ts';
import { runProcess } from '@sluice/shared/process.ts';
import { startQueryWorker } from './start.ts';

// Uploads go first where they share a processor; processes of questions inherit it.
setPriority(10);

export const run = () => runProcess('query-worker', loadQueryWorkerConfig, startQueryWorker);

if (import.meta.main) await run();
