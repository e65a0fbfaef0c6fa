import { startIngestWorker } from '@sluice/ingest-worker/start.ts';
import { jobsQueue } from '@sluice/jobs/queue/queues.ts';
import { connectRedis, keyPrefix } from '@sluice/jobs/queue/redis.ts';
import { loadIngestWorkerConfig } from '@sluice/shared/config/load.ts';
import { createLogger } from '@sluice/shared/logger.ts';
import { expect, it, onTestFinished } from 'vitest';
import { importClient } from '../support/import-client.ts';
import { quickTimings } from '../support/quick-timings.ts';
import { celsiusSchema, refusedClient } from '../support/refused-client.ts';
import { startSluice, until } from '../support/sluice.ts';
import { ndjson } from '../support/upload-client.ts';

const lines = ndjson(Array.from({ length: 10_000 }, (_, n) => ({ celsius: n % 50 })));
it.each([2])(
  'an ingest worker does at most %i jobs at once, of all kinds together',
  async (concurrency) => {
    const sluice = await startSluice({ workers: false });
    onTestFinished(sluice.stop);
    const { token } = await sluice.owner();
    const domain = await sluice.application(token, celsiusSchema);
    const path = `/applications/${domain}`;
    const { store, start, ended } = importClient(sluice, token);
    const { refuse, list } = refusedClient(sluice, token, domain);
    for (let n = 0; n < 10; n++) await refuse({ celsius: `${n}` });
    const { id: application = '', owner } = (await store.applications.byDomain(domain)) ?? {};
    await until(async () => (await list()).result.length === 10);

    const imports: string[] = [];
    for (let n = 0; n < 2; n++) imports.push((await start(domain, lines)).body.data.id);
    const rehearse = { schema: { type: 'object' }, of: 'both' };
    const made = await Promise.all([
      sluice.request('POST', `${path}/rehearsals`, { token, json: rehearse }),
      sluice.request('POST', `${path}/replays`, {
        token,
        json: { coerce: [{ path: '/celsius', to: 'number' }] },
      }),
    ]);
    expect(made.map(({ status }) => status)).toEqual([202, 202]);
    const deletion = await store.jobs.create({
      kind: 'deletion',
      application,
      owner: owner?.id as string,
      domain,
      options: { to: new Date(0) },
    });

    const log = createLogger('test', { level: process.env.TEST_LOG ?? 'silent', pretty: false });
    const env = { ...sluice.env, WORKER_CONCURRENCY: String(concurrency) };
    const config = loadIngestWorkerConfig(env);
    const redis = connectRedis(config.redis, log, 'patient');
    onTestFinished(() => redis.disconnect());
    const active = `${keyPrefix(config.redis)}:${jobsQueue.name}:active`;
    let isOver = false;
    const counting = (async () => {
      let most = 0;
      while (!isOver) most = Math.max(most, await redis.llen(active));
      return most;
    })();
    onTestFinished(() => {
      isOver = true;
    });
    const worker = await startIngestWorker(config, log, quickTimings);
    onTestFinished(worker.stop);

    const ids = [...imports, ...made.map(({ body }) => body.data.id), deletion.id];
    const isDone = async (id: string) => (await store.jobs.get(id))?.state === 'completed';
    for (const id of ids) await until(() => isDone(id));
    isOver = true;
    expect(await counting).toBe(concurrency);
    expect((await ended(domain, imports[0] as string)).accepted).toBe(10_000);
  },
  120_000,
);
