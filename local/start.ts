import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { localEnv } from './env.ts';

enableCompileCache(localEnv().compileCache);
// Imported after the cache is set, so that it uses the cache.
const { main } = await import('./main.ts');

const root = join(import.meta.dirname, '..');
const entry = (service: string) => join(root, 'services', service, 'src/main.ts');

await main(
  process.argv.slice(2),
  {
    api: entry('api'),
    'ingest-worker': entry('ingest-worker'),
    'export-worker': entry('export-worker'),
    'query-worker': entry('query-worker'),
  },
  root,
);
