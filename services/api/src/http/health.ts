import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { Producer } from '@sluice/queues/producer.ts';
import { Success } from '@sluice/shared/contracts/envelope.ts';
import { ApiError } from '@sluice/shared/errors.ts';
import type { Store } from '@sluice/store/connect.ts';
import Type from 'typebox';
import { success } from './envelope.ts';
import { createRecent } from './recent.ts';
import { failures, refusals } from './route-parts.ts';

/** Of this process; it changes under who has it. */
export interface Lifecycle {
  phase: 'starting' | 'serving' | 'draining';
}

interface Dependencies {
  store: Pick<Store, 'ping'>;
  lifecycle: Lifecycle;
  queues: Record<'exports' | 'purges', Pick<Producer<never>, 'workers'>>;
}

const UpOrDown = Type.Union([Type.Literal('up'), Type.Literal('down')]);
const Live = Type.Object({ status: Type.Literal('live') });
const Ready = Type.Object({
  status: Type.Literal('serving'),
  mongodb: UpOrDown,
  redis: UpOrDown,
  workers: Type.Object({
    exports: Type.Integer({ description: 'Export workers that are connected.' }),
    purges: Type.Integer({ description: 'Ingest workers that are connected; they take the imports too.' }),
  }),
  eventLoopLagMs: Type.Number({ description: '99th percentile since the process began.' }),
});
const tags = ['Health'];

/** `live` looks at nothing; `ready` is for the proxy, and its body for people. */
export const healthRoutes: FastifyPluginAsyncTypebox<Dependencies> = async (
  app,
  { store, lifecycle, queues },
) => {
  const lag = monitorEventLoopDelay({ resolution: 20 });
  lag.enable();
  app.addHook('onClose', async () => {
    lag.disable();
  });

  function requireServing(): void {
    const { phase } = lifecycle;
    if (phase !== 'serving') throw new ApiError('ResourceNotFoundError', `this replica is ${phase}`);
  }

  /** Connected workers by queue; rejects while Redis is away. */
  const workers = async () => ({
    exports: await queues.exports.workers(),
    purges: await queues.purges.workers(),
  });

  const look = createRecent(1_000, async () => {
    const [mongodb, counted] = await Promise.all([
      store.ping().then(
        () => 'up' as const,
        () => 'down' as const,
      ),
      workers().catch(() => undefined),
    ]);
    const redis = counted ? ('up' as const) : ('down' as const);
    return { mongodb, redis, workers: counted ?? { exports: 0, purges: 0 } };
  });

  app.get(
    '/health/live',
    { schema: { summary: 'The process answers', tags, response: { 200: Success(Live), ...failures } } },
    async (_request, reply) => success(reply, { status: 'live' as const }),
  );

  app.get(
    '/health/ready',
    {
      schema: {
        summary: 'Whether a proxy shall send work here; tells about MongoDB, Redis and workers too',
        tags,
        response: { 200: Success(Ready), ...refusals(404), ...failures },
      },
    },
    async (_request, reply) => {
      requireServing();
      const seen = await look();
      // It may drain by now.
      requireServing();
      return success(reply, {
        status: 'serving' as const,
        ...seen,
        eventLoopLagMs: Math.round(lag.percentile(99) / 1e4) / 100,
      });
    },
  );
};
