import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startExportWorker } from '@sluice/export-worker/start.ts';
import { startIngestWorker } from '@sluice/ingest-worker/start.ts';
import { startQueryWorker } from '@sluice/query-worker/start.ts';
import {
  loadExportWorkerConfig,
  loadIngestWorkerConfig,
  loadQueryWorkerConfig,
} from '@sluice/shared/config/load.ts';
import { createLogger } from '@sluice/shared/logger.ts';
import { metricTable } from '@sluice/shared/metrics/table.ts';
import { MongoClient, ObjectId } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { importClient } from '../support/import-client.ts';
import { lowPort } from '../support/low-port.ts';
import { quickTimings } from '../support/quick-timings.ts';
import { type Scraped, scrape } from '../support/scrape.ts';
import { type Sluice, startSluice, statusOf, until } from '../support/sluice.ts';

const METRICS_TOKEN = 'a token of this test'.replaceAll(' ', '-');
const log = createLogger('test', { level: 'silent', pretty: false });
const schema = { type: 'object', properties: { celsius: { type: 'number' } }, required: ['celsius'] };

const ARCHIVE_FOLDER = mkdtempSync(join(tmpdir(), 'sluice-metrics-'));
let sluice: Sluice;
let token: string;
let domain: string;
const workers = { export: '', ingest: '', query: '' };
const stopping: (() => Promise<void>)[] = [];

const ofApi = () => scrape(sluice.url, METRICS_TOKEN);

beforeAll(async () => {
  sluice = await startSluice({
    workers: false,
    env: { METRICS_TOKEN, UPLOAD_RATE: '40/1h', ARCHIVE_FOLDER },
  });
  const port = async (of: keyof typeof workers) => {
    const MONITORING_PORT = String(await lowPort());
    workers[of] = `http://127.0.0.1:${MONITORING_PORT}`;
    return { ...sluice.env, METRICS_TOKEN: undefined, MONITORING_PORT };
  };
  const started = await Promise.all([
    startExportWorker(loadExportWorkerConfig(await port('export')), log, quickTimings),
    startIngestWorker(loadIngestWorkerConfig(await port('ingest')), log, quickTimings),
    startQueryWorker(loadQueryWorkerConfig({ ...(await port('query')), QUERY_PORT: '0' }), log),
  ]);
  stopping.push(...started.map(({ stop }) => stop));
  ({ token } = await sluice.owner());
  domain = await sluice.application(token, schema);
});
afterAll(async () => {
  await Promise.all([sluice.stop(), ...stopping.map((stop) => stop())]);
  rmSync(ARCHIVE_FOLDER, { recursive: true });
});

const upload = (json: unknown, headers = {}, to = domain) =>
  sluice.request('POST', `/applications/${to}/data`, { json, headers });
const batch = (lines: unknown[], query = '', headers = {}) =>
  sluice.request('POST', `/applications/${domain}/data/batch${query}`, { json: lines, headers });

/** How much each of these counters of the API grew by the work. The last answer is counted just after its client has it. */
async function growth(
  series: [name: string, labels: Record<string, string>, by: number][],
  work: () => unknown,
) {
  const before = await ofApi();
  await work();
  let after: Scraped;
  const grown = () =>
    series.map(([name, labels]) => [
      name,
      labels,
      (after.value(name, labels) ?? 0) - (before.value(name, labels) ?? 0),
    ]);
  await until(async () => {
    after = await ofApi();
    return grown().every(([, , by], at) => (by as number) >= (series[at]?.[2] as number));
  });
  expect(grown()).toEqual(series);
}

const uploads = (mode: string, result: string) => ({ mode, result });

describe('what the API counts', () => {
  it('uploads: stored, repeated, refused with the reason', async () => {
    await growth(
      [
        ['sluice_uploads_total', uploads('single', 'stored'), 3],
        ['sluice_uploads_total', uploads('single', 'repeated'), 2],
        ['sluice_uploads_total', uploads('single', 'refused'), 4],
        ['sluice_uploads_total', uploads('single', 'failed'), 0],
        ['sluice_upload_refusals_total', { reason: 'SchemaValidationError' }, 1],
        ['sluice_upload_refusals_total', { reason: 'MalformedBodyError' }, 1],
        ['sluice_upload_refusals_total', { reason: 'ResourceNotFoundError' }, 1],
        ['sluice_upload_refusals_total', { reason: 'ResourceConflictError' }, 1],
        ['sluice_upload_duration_seconds_count', { mode: 'single' }, 9],
      ],
      async () => {
        const key = { 'idempotency-key': 'once' };
        await upload({ celsius: 1 });
        await upload({ celsius: 2 });
        for (const _time of [1, 2, 3]) expect((await upload({ celsius: 3 }, key)).status).toBe(201);
        await upload({ celsius: 4 }, key);
        await upload({ celsius: 'warm' });
        await sluice.request('POST', `/applications/${domain}/data`, { body: '{' });
        await upload({ celsius: 1 }, {}, 'nothing-abc234');
      },
    );
  });

  it('each line of a batch', async () => {
    const key = { 'idempotency-key': 'once' };
    const lines = [{ celsius: 1 }, { celsius: 2 }, {}];
    await growth(
      [
        ['sluice_uploads_total', uploads('batch', 'stored'), 4],
        ['sluice_uploads_total', uploads('batch', 'repeated'), 2],
        ['sluice_uploads_total', uploads('batch', 'refused'), 5],
        ['sluice_upload_refusals_total', { reason: 'SchemaValidationError' }, 4],
        ['sluice_upload_refusals_total', { reason: 'MalformedBodyError' }, 1],
        ['sluice_upload_duration_seconds_count', { mode: 'batch' }, 5],
      ],
      async () => {
        expect((await batch(lines, '', key)).status).toBe(207);
        expect((await batch(lines, '', key)).status).toBe(207);
        expect((await batch([{ celsius: 1 }, { celsius: 2 }], '?atomic=true')).status).toBe(201);
        expect((await batch([{}, { celsius: 'warm' }])).status).toBe(422);
        await sluice.request('POST', `/applications/${domain}/data/batch`, { body: '[{' });
      },
    );
  });

  it('what a limit refuses', async () => {
    await growth(
      [
        ['sluice_limited_total', { limit: 'rate_uploads', answer: '429' }, 2],
        ['sluice_upload_refusals_total', { reason: 'TooManyRequestsError' }, 2],
      ],
      async () => {
        for (const _time of [1, 2]) {
          const { status } = await batch(Array.from({ length: 41 }, () => ({ celsius: 1 })));
          expect(status).toBe(429);
        }
      },
    );
  });

  it('requests by the pattern of their route, and what does not exist as one', async () => {
    const http = (method: string, route: string, status: string) => ({ method, route, status });
    const counted = 'http_request_duration_seconds_count';
    await growth(
      [
        [counted, http('GET', '/api/applications/:domain/data', '2xx'), 2],
        [counted, http('GET', '/api/applications/:domain/data', '4xx'), 1],
        [counted, http('other', 'other', '4xx'), 3],
      ],
      async () => {
        const path = `/applications/${domain}/data`;
        await sluice.request('GET', path, { token });
        await sluice.request('HEAD', path, { token });
        await sluice.request('GET', path);
        await sluice.request('GET', '/nothing-1');
        await sluice.request('PURGE', '/nothing-2');
        await sluice.request('DELETE', '/users/login');
      },
    );
  });

  it('inserts, and that none is waiting', async () => {
    const { value } = await ofApi();
    expect(value('sluice_commit_batch_documents_sum')).toBeGreaterThan(0);
    expect(value('sluice_commit_duration_seconds_count', { result: 'ok' })).toBe(
      value('sluice_commit_batch_documents_count'),
    );
    expect([value('sluice_commit_pending_bytes'), value('sluice_commit_oldest_seconds')]).toEqual([0, 0]);
    expect(value('sluice_mongo_command_duration_seconds_count', { command: 'insert' })).toBeGreaterThan(0);
    expect(value('sluice_mongo_pool_connections', { state: 'in_use' })).toBeGreaterThanOrEqual(0);
    expect(value('sluice_schema_cache_lookups_total', { result: 'hit' })).toBeGreaterThan(0);
    expect(value('sluice_schema_cache_lookups_total', { result: 'miss' })).toBeGreaterThan(0);
    expect(value('sluice_schema_compile_duration_seconds_count', { result: 'ok' })).toBeGreaterThan(0);
    expect([value('sluice_mongo_primary_up'), value('sluice_redis_up')]).toEqual([1, 1]);
  });
});

describe('what the workers count', () => {
  it('an export', async () => {
    const answer = await sluice.request('GET', `/applications/${domain}/export`, { token });
    expect(answer.status).toBe(200);
    await until(async () => {
      const { value } = await scrape(workers.export);
      return value('sluice_jobs_total', { kind: 'export', result: 'completed' }) === 1;
    });
    const { value } = await scrape(workers.export);
    expect(value('sluice_job_duration_seconds_count', { kind: 'export' })).toBe(1);
    const progress = value('sluice_worker_last_progress_timestamp_seconds', { queue: 'exports' }) as number;
    expect(progress).toBeLessThanOrEqual(Date.now() / 1_000);
    await until(async () => {
      const { value } = await scrape(workers.export);
      return value('sluice_queue_jobs', { queue: 'exports', state: 'active' }) === 0;
    });
  });

  it('an import, and the turns that it takes', async () => {
    const client = importClient(sluice, token);
    const { job } = await client.complete(domain, '{"celsius":1}\n{"celsius":2}\n');
    expect(job.state).toBe('completed');
    await until(async () => {
      const { value } = await scrape(workers.ingest);
      return value('sluice_jobs_total', { kind: 'import', result: 'completed' }) === 1;
    });
    expect(
      (await scrape(workers.ingest)).value('sluice_job_duration_seconds_count', { kind: 'import' }),
    ).toBe(1);
    // On a busy machine an import may lose its lease instead.
    await until(async () => {
      const { value } = await scrape(workers.ingest);
      const turns = value('sluice_jobs_requeued_total', { kind: 'import', cause: 'postponed' });
      if ((turns as number) > 0) return true;
      await client.complete(domain, '{"celsius":1}\n');
      return false;
    });
  });

  it('a deletion', async () => {
    const deleted = await sluice.application(token);
    expect((await sluice.request('DELETE', `/applications/${deleted}`, { token })).status).toBe(200);
    await until(async () => {
      const { value } = await scrape(workers.ingest);
      return value('sluice_jobs_total', { kind: 'invalidation', result: 'completed' }) === 1;
    });
  });

  it('bytes of archives, and how late archives are that fail', async () => {
    const lag = async (state: string) =>
      (await scrape(workers.export)).value('sluice_archive_lag_seconds', { state });
    expect([await lag('active'), await lag('failing')]).toEqual([0, 0]);
    const archived = await sluice.application(token);
    await upload({}, {}, archived);
    const path = `/applications/${archived}/archives`;
    const usual = { format: 'ndjson', every: '15m', from: 'beginning' };
    const made = await sluice.request('POST', path, { token, json: { to: { kind: 'folder' }, ...usual } });
    const { id } = made.body.data;
    const archive = async () => (await sluice.request('GET', `${path}/${id}`, { token })).body.data;
    await until(async () => (await archive()).last_run !== undefined);
    const { value } = await scrape(workers.export);
    expect((await archive()).bytes).toBeGreaterThan(0);
    expect(value('sluice_archive_bytes_total')).toBe((await archive()).bytes);
    expect([await lag('active'), await lag('failing')]).toEqual([0, 0]);
    const client = new MongoClient(sluice.env.MONGODB_URL as string);
    try {
      const archives = client.db().collection('archives');
      const note = (change: object) => archives.updateOne({ _id: new ObjectId(id) }, { $set: change });
      const [dueAt, at] = [new Date(Date.now() + 60_000), new Date(Date.now() - 4_500_000)];
      await note({ state: 'failing', dueAt, 'lastRun.at': at });
      expect(Math.floor((await lag('failing')) as number)).toBeGreaterThanOrEqual(3_600);
      expect(await lag('active')).toBe(0);
      await note({ state: 'paused' });
      expect(await lag('failing')).toBe(0);
      await note({ state: 'failing' });
      await sluice.request('DELETE', `/applications/${archived}`, { token });
      expect(await lag('failing')).toBe(0);
    } finally {
      await client.close();
    }
  });

  it('when the last backup ended, once there is one', async () => {
    const name = 'sluice_backup_last_success_timestamp_seconds';
    expect((await scrape(workers.ingest)).value(name)).toBeUndefined();
    const finishedAt = new Date('2026-01-02T03:04:05Z');
    const client = new MongoClient(sluice.env.MONGODB_URL as string);
    try {
      const operations = client.db().collection<{ _id: string; finishedAt: Date }>('operations');
      await operations.insertOne({ _id: 'backup', finishedAt });
    } finally {
      await client.close();
    }
    expect((await scrape(workers.ingest)).value(name)).toBe(finishedAt.getTime() / 1_000);
    expect((await scrape(workers.export)).text).not.toContain(name);
  });
});

describe('a scrape', () => {
  it.each([
    ['API', ofApi],
    ['ingest worker', () => scrape(workers.ingest)],
    ['export worker', () => scrape(workers.export)],
    ['query worker', () => scrape(workers.query)],
  ] as const)('of the %s has its metrics and no others of ours', async (service, ask) => {
    const { text } = await ask();
    const types = Array.from(text.matchAll(/^# TYPE (\S+) (\S+)$/gm), ([, name, type]) => `${name} ${type}`);
    const expected = Object.entries(metricTable)
      .filter(([, { of }]) => of.includes(service as never))
      .map(([name, { type }]) => `${name} ${type}`);
    expect(types.filter((type) => /^(sluice|http)_/.test(type)).toSorted()).toEqual(expected.toSorted());
    expect(types).toContain('nodejs_eventloop_lag_p99_seconds gauge');
    expect(text).toMatch(/^sluice_build_info\{version="\d+\.\d+\.\d+"\} 1$/m);
  });

  it('names nobody, and has less than 400 series, whatever was asked for', async () => {
    const { body } = await sluice.request('GET', '/openapi.json');
    const operations = Object.entries<object>(body.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => [method.toUpperCase(), path.replace(/^\/api/, '')] as const),
    );
    const id = 'f'.repeat(24);
    for (const [method, path] of operations) {
      const filled = path.replace('{domain}', domain).replace('{id}', id).replace('{username}', 'someone');
      if (method === 'DELETE' && path.endsWith('{domain}')) continue;
      await statusOf(`${sluice.url}/api${filled}`, { method, headers: { authorization: `Bearer ${token}` } });
      await sluice.request(method, filled);
      await sluice.request('PURGE', filled, { token });
      await sluice.request('POST', `${filled}/${id}`, { token });
    }
    const application = await sluice.request('GET', `/applications/${domain}`, { token });
    const { data: user } = (await sluice.request('GET', '/users/me', { token })).body;
    for (const ask of [ofApi, () => scrape(workers.ingest), () => scrape(workers.export)]) {
      const { text, samples } = await ask();
      expect(samples.length).toBeLessThan(400);
      for (const secret of [domain, user.username, id, application.body.data.name, 'someone', '127.0.0.1'])
        expect(text).not.toContain(secret);
      const values = new Set(samples.flatMap(({ labels }) => Object.values(labels)));
      expect([...values].filter((value) => /[0-9a-f]{24}/.test(value))).toEqual([]);
    }
  });
});
