import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startExportWorker } from '@sluice/export-worker/start.ts';
import { startIngestWorker } from '@sluice/ingest-worker/start.ts';
import { loadExportWorkerConfig, loadIngestWorkerConfig } from '@sluice/shared/config/load.ts';
import { createLogger } from '@sluice/shared/logger.ts';
import { MongoClient } from 'mongodb';
import { expect, inject, it, onTestFinished } from 'vitest';
import { createCuttableProxy } from '../support/cuttable-proxy.ts';
import { lowPort } from '../support/low-port.ts';
import { throughProxy } from '../support/own-database.ts';
import { ownRedis } from '../support/own-redis.ts';
import { isPrometheusInstalled, startPrometheus } from '../support/prometheus.ts';
import { quickTimings } from '../support/quick-timings.ts';
import { ownStores, startSluice, until } from '../support/sluice.ts';

const METRICS_TOKEN = 'a-token-of-this-test';
const UPLOAD_RATE = '5000/1h';
const log = createLogger('test', { level: 'silent', pretty: false });

/** What each panel of the dashboard asks for. */
function queriesOfDashboard(): string[] {
  const file = join(import.meta.dirname, '../../deploy/monitoring/grafana/dashboards/sluice.json');
  const { panels }: { panels: { targets?: { expr: string }[] }[] } = JSON.parse(readFileSync(file, 'utf8'));
  const exprs = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
  return exprs.map((expr) => expr.replaceAll('$__rate_interval', '1m'));
}

async function mongodbProxy() {
  const { hostname, port } = new URL(inject('mongodbUrl'));
  const proxy = await createCuttableProxy({ host: hostname, port: Number(port || 27017) });
  onTestFinished(() => proxy.close());
  return proxy;
}

/** The Redis of the tests has no `maxmemory`. */
async function limitRedis(): Promise<void> {
  const { redis } = await ownRedis();
  await redis.config('SET', 'maxmemory', '8gb');
  onTestFinished(async () => {
    await redis.config('SET', 'maxmemory', '0');
  });
}

async function noteBackup(url: string): Promise<void> {
  const client = new MongoClient(url);
  try {
    const operations = client.db().collection<{ _id: string; finishedAt: Date }>('operations');
    await operations.insertOne({ _id: 'backup', finishedAt: new Date() });
  } finally {
    await client.close();
  }
}

/** Each service with a MongoDB that can be taken from it, and all watched by a Prometheus. */
async function watchedStack() {
  const ports = { api: await lowPort(), 'ingest-worker': await lowPort(), 'export-worker': await lowPort() };
  const [mongodb, mongodbOfExports] = [await mongodbProxy(), await mongodbProxy()];
  const stores = ownStores();
  const url = stores.MONGODB_URL as string;
  const env = { ...stores, METRICS_TOKEN, MONGODB_URL: throughProxy(url, mongodb) };
  const sluice = await startSluice({
    workers: false,
    env: { ...env, MONITORING_PORT: String(ports.api), UPLOAD_RATE, MONGODB_TIMEOUT: '2s' },
  });
  onTestFinished(() => sluice.stop());
  const ingest = { ...env, MONITORING_PORT: String(ports['ingest-worker']) };
  const exporting = {
    ...env,
    MONITORING_PORT: String(ports['export-worker']),
    MONGODB_URL: throughProxy(url, mongodbOfExports),
    WORKER_CONCURRENCY: '1',
  };
  const workers = await Promise.all([
    startIngestWorker(loadIngestWorkerConfig(ingest), log, quickTimings),
    startExportWorker(loadExportWorkerConfig(exporting), log, quickTimings),
  ]);
  onTestFinished(async () => {
    await Promise.all(workers.map((worker) => worker.stop()));
  });
  await Promise.all([limitRedis(), noteBackup(url)]);
  const { query } = await startPrometheus(ports, METRICS_TOKEN);
  return { sluice, ports, query, mongodb, mongodbOfExports };
}

it.skipIf(!isPrometheusInstalled)(
  'shows each panel of the dashboard, and fires the alerts for a stuck queue, uploads that fail and no primary',
  async () => {
    const { sluice, ports, query, mongodb, mongodbOfExports } = await watchedStack();
    const { token } = await sluice.owner();
    const path = `/applications/${await sluice.application(token, { type: 'object', required: ['n'] })}`;
    const upload = (json: unknown) => sluice.request('POST', `${path}/data`, { json });
    const batch = (lines: unknown[]) => sluice.request('POST', `${path}/data/batch`, { json: lines });

    const queries = queriesOfDashboard();
    let missing = [...queries];
    await until(async () => {
      await upload({ n: 1 });
      await upload({});
      await batch([{ n: 1 }, {}]);
      await batch(Array.from({ length: 5_001 }, () => ({ n: 1 })));
      await sluice.request('POST', `${path}/imports`, { token, json: [{ n: 1 }] });
      await sluice.request('GET', `${path}/export`, { token });
      const found = await Promise.all(missing.map(query));
      missing = missing.filter((_, at) => !found[at]?.some(({ value }) => Number.isFinite(value)));
      return missing.length === 0;
    }).catch(() => undefined);
    expect(missing).toEqual([]);
    const up = await query('up{job="sluice"} == 1');
    expect(up.map(({ metric }) => metric.service).toSorted()).toEqual(Object.keys(ports).toSorted());

    /** Whether an alert fires while this holds, so not because a metric is missing. */
    const fires = async (alert: string, condition: string) => {
      const firing = `ALERTS{alertname="${alert}",alertstate="firing"}`;
      return (await query(`${firing} and on (queue) ${condition}`)).length > 0;
    };

    await mongodbOfExports.stall();
    // The worker takes one, and gets no further; the other waits.
    for (const _each of [1, 2])
      expect((await sluice.request('POST', `${path}/exports`, { token, json: {} })).status).toBe(202);
    await until(() =>
      fires('SluiceQueueStuck', 'max by (queue) (sluice_queue_oldest_waiting_seconds{queue="exports"}) > 2'),
    );

    await Promise.all([mongodb.cut(), mongodbOfExports.cut()]);
    await until(async () => {
      expect((await upload({ n: 1 })).status).toBe(503);
      const failing = 'sum(rate(sluice_uploads_total{result="failed"}[2m])) > 0';
      return fires('SluiceUploadsUnavailable', failing);
    });
    await until(() => fires('SluiceNoPrimary', 'max(sluice_mongo_primary_up) == 0'));
    await Promise.all([mongodb.restore(), mongodbOfExports.restore()]);
    const firing = 'ALERTS{alertstate="firing",alertname="SluiceNoPrimary"}';
    await until(async () => (await query(firing)).length === 0);
  },
);
