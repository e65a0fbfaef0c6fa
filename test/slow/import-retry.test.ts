import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { createCuttableProxy } from '../support/cuttable-proxy.ts';
import { count, expectAll, fail, startFailing } from '../support/failed-import.ts';
import { until } from '../support/sluice.ts';
import { createWorkerProcess } from '../support/worker-process.ts';

describe('an import that failed is retried, and stores each line once,', () => {
  it('and a worker that had a chunk of it before, and wakes up, changes nothing', async () => {
    const run = await startFailing(40_000);
    const { chunks, store, id } = run;
    const one = createWorkerProcess('ingest-worker', run.sluice.env);
    await one.start();
    await until(async () => ((await store.jobs.get(id))?.done ?? 0) > 0);
    // Between two chunks it has none.
    await until(async () => {
      one.halt();
      if ((await chunks.countDocuments({ state: 'open', leaseUntil: { $gt: new Date() } })) > 0) return true;
      one.goOn();
      return false;
    });
    await chunks.updateMany({ state: 'open', leaseUntil: { $exists: false } }, { $set: { attempts: 10 } });
    await run.work();
    expect(await run.ended()).toMatchObject({ state: 'failed' });
    expect((await run.retry()).status).toBe(202);
    await until(async () => (await store.jobs.get(id))?.state === 'active');
    one.goOn();
    await expectAll(run);
  }, 120_000);

  it('while Redis is away', async () => {
    const { hostname, port } = new URL(inject('redisUrl'));
    const redis = await createCuttableProxy({ host: hostname, port: Number(port || 6379) });
    onTestFinished(redis.close);
    const run = await startFailing(count, {
      REDIS_URL: `redis://127.0.0.1:${redis.port}`,
      REDIS_TIMEOUT: '1s',
    });
    await fail(run, inject('redisUrl'));
    await redis.stall();
    expect((await run.retry()).status).toBe(202);
    await expectAll(run);
  }, 120_000);
});
