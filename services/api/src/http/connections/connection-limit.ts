import type { Logger } from '@sluice/shared/logger.ts';
import fp from 'fastify-plugin';

const warnEveryMs = 60_000;

/** Connections beyond the limit are closed without a word, which costs nothing. */
export const connectionLimit = fp<{ most: number; log: Logger }>(
  async (app, { most, log }) => {
    let warnedAt = Number.NEGATIVE_INFINITY;
    app.server.maxConnections = most;
    app.server.on('drop', () => {
      const now = performance.now();
      if (now - warnedAt < warnEveryMs) return;
      warnedAt = now;
      log.warn({ event: 'connections.dropped', limit: most }, 'more connections than MAX_CONNECTIONS');
    });
  },
  { name: 'connection-limit' },
);
