import { createMetrics } from '@sluice/shared/metrics/metrics.ts';
import fastify from 'fastify';
import { expect, it } from 'vitest';
import { requestMetrics } from './requests.ts';

it('has a bounded number of series, however many routes answer in however many ways', async () => {
  const metrics = createMetrics({ port: 0, token: undefined });
  const app = fastify();
  requestMetrics(app, { metrics });
  const routes = Array.from({ length: 100 }, (_, at) => `/route-${at}`);
  for (const route of routes)
    app.get<{ Querystring: { status: string } }>(route, async ({ query }, reply) =>
      reply.code(Number(query.status)).send(''),
    );
  for (const route of routes)
    for (const status of ['200', '404', '503'])
      for (const _time of [1, 2]) await app.inject(`${route}?status=${status}`);

  const counts = Array.from(
    (await metrics.text()).matchAll(/^http_request_duration_seconds_count\{(.*)\} (\d+)$/gm),
    ([, labels = '', count]) => ({ labels, count: Number(count) }),
  );
  expect(counts.length).toBe(90 + 3);
  expect(counts.filter(({ labels }) => !labels.includes('other')).map(({ count }) => count)).toEqual(
    Array(90).fill(2),
  );
  expect(counts.reduce((sum, { count }) => sum + count, 0)).toBe(600);
  await app.close();
});
