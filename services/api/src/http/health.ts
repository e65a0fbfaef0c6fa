import { monitorEventLoopDelay } from 'node:perf_hooks';
import { ApiError } from '@sluice/shared/errors.ts';
import { version } from '@sluice/shared/version.ts';
import Type from 'typebox';
import type { Routes } from '../dependencies.ts';
import { Success, success } from './answers.ts';
import { operation, ownFailures, tagRoutes } from './route-parts.ts';
import { Int, Named, Text } from './schemas.ts';

const UpOrDown = Type.Enum(['up', 'down'], { title: 'StoreState' });
const Live = Named('Liveness', {
  status: Type.Literal('live'),
  version: Text('Version of Sluice.', '1.2.0'),
});
const Ready = Named('Readiness', {
  status: Type.Literal('serving'),
  mongodb: UpOrDown,
  redis: UpOrDown,
  workers: Named('ConnectedWorkers', {
    exports: Int('Connected export workers.', 1),
    purges: Int('Connected ingest workers.', 1),
  }),
  eventLoopLagMs: Type.Number({
    description: '99th percentile since the process started.',
    examples: [1.2],
  }),
});

/** Liveness asks nothing else. The status of readiness is for proxies, and its body for people. */
export const healthRoutes: Routes = async (app, { store, lifecycle, queues }) => {
  tagRoutes(app, 'Health');
  const lag = monitorEventLoopDelay({ resolution: 20 });
  lag.enable();
  app.addHook('onClose', async () => void lag.disable());

  function requireServing(): void {
    const { phase } = lifecycle;
    if (phase !== 'serving') throw new ApiError('ResourceNotFoundError', `this replica is ${phase}`);
  }

  async function look() {
    const [ping, exports, purges] = await Promise.allSettled([
      store.ping(),
      queues.exports.workers(),
      queues.purges.workers(),
    ]);
    const isCounted = exports.status === 'fulfilled' && purges.status === 'fulfilled';
    return {
      mongodb: ping.status === 'fulfilled' ? ('up' as const) : ('down' as const),
      redis: isCounted ? ('up' as const) : ('down' as const),
      workers: isCounted ? { exports: exports.value, purges: purges.value } : { exports: 0, purges: 0 },
    };
  }

  let seen: ReturnType<typeof look> | undefined;
  /** Asks the stores at most once a second, for all callers. */
  function recent() {
    const forget = () => {
      seen = undefined;
    };
    seen ??= look().finally(() => setTimeout(forget, 1_000).unref());
    return seen;
  }

  app.get(
    '/health/live',
    operation('getLiveness', 'Check that the process answers', {
      response: { 200: Success(Live) },
    }),
    async (_request, reply) => success(reply, { status: 'live' as const, version: version() }),
  );

  app.get(
    '/health/ready',
    operation('getReadiness', 'Check that this replica takes requests', {
      description:
        'For load balancers: 200 while it serves, 404 while it starts or stops. MongoDB, Redis and workers are reported, but do not change the status.',
      response: { 200: Success(Ready), ...ownFailures('ResourceNotFoundError') },
    }),
    async (_request, reply) => {
      requireServing();
      const stores = await recent();
      // The phase may have changed meanwhile.
      requireServing();
      const eventLoopLagMs = Math.round(lag.percentile(99) / 1e4) / 100;
      return success(reply, { status: 'serving' as const, ...stores, eventLoopLagMs });
    },
  );
};
