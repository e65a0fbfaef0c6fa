import { loadApiConfig } from '@sluice/shared/config/load.ts';
import { runProcess } from '@sluice/shared/process.ts';
import { startApi } from './start.ts';

await runProcess('api', loadApiConfig, startApi);
