import { join } from 'node:path';
import { ApiError } from '@sluice/shared/errors.ts';
import type { Routes } from '../dependencies.ts';
import { etagOf, isKnown } from '../http/etags.ts';
import { readBuilt } from './read-built.ts';

const built = join(import.meta.dirname, '../../../cli/dist/sluice.mjs');

/** `GET /sluice.mjs`: the command line as one file for Node.js. */
export const commandLineRoutes: Routes = async (app, { config }) => {
  if (!config.console) return;
  const file = await readBuilt(built);
  const etag = file && etagOf(file);

  app.get('/sluice.mjs', { schema: { hide: true } }, (request, reply) => {
    if (!file || !etag) {
      const message = 'the command line is not built; `npm run setup` builds it';
      throw new ApiError('ResourceNotFoundError', message);
    }
    reply.headers({ etag, 'cache-control': 'no-cache' });
    if (isKnown(request, etag)) return reply.code(304).send();
    return reply.type('text/javascript; charset=utf-8').send(file);
  });
};
