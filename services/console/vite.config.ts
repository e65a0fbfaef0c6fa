import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

/** Compressed once, here: the API sends the files as they are. */
const compress: Plugin = {
  name: 'compress',
  apply: 'build',
  writeBundle({ dir }, bundle) {
    for (const name of Object.keys(bundle).filter((each) => /^assets\/.*\.(js|css|svg)$/.test(each))) {
      const file = join(dir as string, name);
      const bytes = readFileSync(file);
      writeFileSync(`${file}.br`, brotliCompressSync(bytes));
      writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }));
    }
  },
};

const typeface = join(import.meta.dirname, 'node_modules/@fontsource-variable/inter');

/** Adds the licence of the typeface to those of the scripts. */
const licences: Plugin = {
  name: 'licences',
  apply: 'build',
  writeBundle({ dir }) {
    const text = readFileSync(join(typeface, 'LICENSE'), 'utf8');
    appendFileSync(join(dir as string, 'licences.md'), `\n## @fontsource-variable/inter\n\n${text}`);
  },
};

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), compress, licences],
  // The API puts the nonce of the response in its place.
  html: { cspNonce: '{nonce}' },
  build: {
    license: { fileName: 'licences.md' },
    // The policy of the page allows no `data:`.
    assetsInlineLimit: 0,
    target: 'es2023',
    rolldownOptions: {
      // Only the API needs the table of international hostnames, of 175 KB.
      treeshake: {
        moduleSideEffects: [{ test: /node_modules.(@hyperjump|idn-hostname)/, sideEffects: false }],
      },
      output: {
        // One file of what pages share, rather than forty; few pages need the editor.
        codeSplitting: {
          groups: [
            {
              name: 'editor',
              test: /node_modules.(@codemirror|@lezer|style-mod|w3c-keyname|crelt)/,
              priority: 1,
            },
            // What shows JSON needs the editor.
            { name: 'shared', minShareCount: 3, test: /^(?!.*src.(?:editor.|json.json-))/ },
          ],
        },
      },
    },
  },
  server: { proxy: { '/api': 'http://127.0.0.1:4000' } },
});
