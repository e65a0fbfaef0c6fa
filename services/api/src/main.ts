import { loadApiConfig } from '@sluice/shared/config/load.ts';
import { runProcess } from '@sluice/shared/process.ts';
import { startApi } from './start.ts';

export const run = () => runProcess('api', loadApiConfig, startApi);

if (import.meta.main) await run();
