import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifySwaggerUiOptions } from '@fastify/swagger-ui';

const read = (name: string) => readFileSync(join(import.meta.dirname, name), 'utf8');
/** Swagger UI adds one `<style>`, with this hash. */
const ownStyle = "'sha256-RL3ie0nH+Lzz2YNqQN83mnU0J1ot4QL7b99vMdIX99w='";

/** The page of the API, at /api/docs: Swagger UI with a look of its own, which loads and runs nothing but its own files. */
export const apiPage = {
  routePrefix: '/api/docs',
  theme: {
    title: 'Sluice API',
    css: [{ filename: 'theme.css', content: read('api-page.css') }],
    js: [{ filename: 'theme.js', content: read('api-page.js') }],
    favicon: [
      {
        filename: 'icon.svg',
        rel: 'icon',
        type: 'image/svg+xml',
        sizes: 'any',
        content: read('api-icon.svg'),
      },
    ],
  },
  staticCSP: {
    'default-src': "'none'",
    'script-src': "'self'",
    'style-src': `'self' ${ownStyle}`,
    'img-src': "'self' data:",
    'connect-src': "'self'",
    'base-uri': "'none'",
    'form-action': "'none'",
    'frame-ancestors': "'none'",
  },
  uiConfig: {
    // Without the bar of the standalone page and its logo.
    layout: 'BaseLayout',
    // The link of each route would stand within a button.
    deepLinking: false,
    persistAuthorization: false,
    displayRequestDuration: true,
    tryItOutEnabled: true,
    docExpansion: 'list',
    defaultModelsExpandDepth: -1,
  },
} satisfies FastifySwaggerUiOptions;
