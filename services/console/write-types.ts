import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startApi } from '@sluice/api/start.ts';
import { loadApiConfig } from '@sluice/shared/config/load.ts';
import { createLogger } from '@sluice/shared/logger.ts';
import openapiTypescript, { astToString } from 'openapi-typescript';

// The API describes itself also while its stores are away.
const nowhere = '127.0.0.1:1';
const config = loadApiConfig({
  MONGODB_URL: `mongodb://${nowhere}/?directConnection=true`,
  REDIS_URL: `redis://${nowhere}`,
  JWT_SECRET: 'only to describe the API',
  PORT: '0',
  CONSOLE: 'off',
});
const api = await startApi(config, createLogger('console', { level: 'silent', pretty: false }));
const description = await fetch(`${api.url}/api/openapi.json`).then((response) => response.text());
const types = await openapiTypescript(description);
writeFileSync(join(import.meta.dirname, 'src/api/description.d.ts'), astToString(types));
process.exit();
