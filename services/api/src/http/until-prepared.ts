import { ApiError } from '@sluice/shared/errors.ts';
import fp from 'fastify-plugin';
import type { Lifecycle } from '../dependencies.ts';

/** Until the database is prepared nothing is read from it or stored: it may hold only part of a backup. */
export const untilPrepared = fp<{ lifecycle: Lifecycle }>(
  async (app, { lifecycle }) => {
    app.addHook('onRequest', (request, _reply, done) => {
      if (lifecycle.phase !== 'starting' || request.url.startsWith('/api/health/')) return done();
      const headers = { 'retry-after': '1' };
      done(
        new ApiError('ServiceUnavailableError', 'the database is not ready yet; nothing was done', {
          headers,
        }),
      );
    });
  },
  { name: 'until-prepared' },
);
