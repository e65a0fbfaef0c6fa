import { ApiError } from '@sluice/shared/errors.ts';
import { createMayScrape } from '@sluice/shared/metrics/serve.ts';
import type { Routes } from '../dependencies.ts';

/** `GET /metrics` on the port of the API. Anyone may reach that port, so the route needs a token. */
export const metricsRoute: Routes = async (app, { metrics, config }) => {
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
