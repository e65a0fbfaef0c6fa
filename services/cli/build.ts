import { join } from 'node:path';
import { build } from 'esbuild';

const here = (path: string) => join(import.meta.dirname, path);

/** One file, which runs without a package beside it. */
await build({
  entryPoints: [here('src/main.ts')],
  outfile: here('dist/sluice.mjs'),
  bundle: true,
  minify: true,
  keepNames: true,
  platform: 'node',
  target: 'node20',
  format: 'esm',
  legalComments: 'inline',
});
