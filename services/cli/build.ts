import { join } from 'node:path';
import { build, type Plugin } from 'esbuild';

const here = (path: string) => join(import.meta.dirname, path);

/** Only the API needs its table of international hostnames, of 175 KB. So nothing of it is used here. */
const withoutHostnames: Plugin = {
  name: 'without-hostnames',
  setup({ onResolve }) {
    onResolve({ filter: /^idn-hostname$/ }, ({ path }) => ({ path, external: true, sideEffects: false }));
  },
};

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
  plugins: [withoutHostnames],
});
