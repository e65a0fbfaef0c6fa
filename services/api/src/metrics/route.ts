import { ApiError } from '@sluice/shared/errors.ts';
import { createMayScrape } from '@sluice/shared/metrics/serve.ts';
import type { FastifyPluginAsync } from 'fastify';
import type { Dependencies } from '../dependencies.ts';

/** `GET /metrics` on the port of the API: only where a token is set, as anyone may reach that port. */
export const metricsRoute: FastifyPluginAsync<Pick<Dependencies, 'metrics' | 'config'>> = async (
  app,
  { metrics, config },
) => {
  const { token } = config.metrics;
  if (token === undefined) return;
  const mayScrape = createMayScrape(token);
  app.get('/metrics', { schema: { hide: true } }, async ({ headers }, reply) => {
    if (!mayScrape(headers.authorization))
      throw new ApiError('UnauthorizedRequestError', 'METRICS_TOKEN is required as a bearer token', {
        headers: { 'www-authenticate': 'Bearer' },
      });
    return reply.type(metrics.contentType).send(await metrics.text());
  });
};
