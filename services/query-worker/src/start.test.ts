import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { queryToken } from '@sluice/shared/query-token.ts';
import { expect, inject, it, onTestFinished } from 'vitest';
import { archiveRuns } from '../../../test/support/archive-runs.ts';
import { createCuttableProxy } from '../../../test/support/cuttable-proxy.ts';
import { lowPort } from '../../../test/support/low-port.ts';
import { throughProxy } from '../../../test/support/own-database.ts';
import { startQuickWorker } from '../../../test/support/quick-start.ts';
import { scrape } from '../../../test/support/scrape.ts';
import { exitOf, run } from '../../../test/support/service-process.ts';
import { ownStores, until } from '../../../test/support/sluice.ts';

const endless = 'select count(*) from range(10000000000) a, range(1000000) b';

/** A query worker as a process, for an application with three entries. */
async function start({
  envOf = () => ({}),
  exports = true,
}: {
  envOf?(mongodbUrl: string): Record<string, string>;
  exports?: boolean;
} = {}) {
  const { store, application, domain, insert, root, url } = await archiveRuns();
  await insert(3);
  const env: Record<string, string> = {
    ...(ownStores() as Record<string, string>),
    MONGODB_URL: url,
    ARCHIVE_FOLDER: root,
  };
  const ports = { QUERY_PORT: String(await lowPort()), MONITORING_PORT: String(await lowPort()) };
  const { child, output } = run('query-worker', { ...env, ...ports, LOG_LEVEL: 'debug', ...envOf(url) });
  const exporting = () => startQuickWorker('export-worker', env);
  const exporter = exports ? await exporting() : undefined;
  const monitoring = `http://127.0.0.1:${ports.MONITORING_PORT}`;

  const ask = (
    sql: string,
    {
      token = queryToken(env.JWT_SECRET as string),
      signal,
      of = { application, domain, owner: 'b' },
    }: { token?: string; signal?: AbortSignal; of?: object } = {},
  ) =>
    fetch(`http://127.0.0.1:${ports.QUERY_PORT}/questions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ ...of, sql, params: [], format: 'json' }),
      ...(signal && { signal }),
    });

  return {
    child,
    output,
    ask,
    exporting,
    exporter,
    store,
    application,
    rows: async (sql: string) => rowsIn(await ask(sql)),
    logged: (event: string) => until(async () => output.text.includes(`"event":"${event}"`)),
    live: async () => (await fetch(`${monitoring}/health/live`)).status,
    count: async (result: string) => (await scrape(monitoring)).value('sluice_questions_total', { result }),
    /** The processes of questions: one that waits, and those that answer. */
    async processes(): Promise<number[]> {
      const { stdout } = await promisify(execFile)('pgrep', ['-P', String(child.pid)]);
      return stdout.trim().split('\n').map(Number);
    },
  };
}

const rowsIn = async (answer: Response) => ((await answer.json()) as { rows: unknown[][] }).rows;

const isGone = (pid: number) => {
  try {
    process.kill(pid, 0);
    return false;
  } catch {
    return true;
  }
};

it('starts while its stores are away, and answers only who knows the token, and logs no question', async () => {
  const { hostname, port } = new URL(inject('redisUrl'));
  const redis = await createCuttableProxy({ host: hostname, port: Number(port || 6379) });
  const stores = new URL(inject('mongodbUrl'));
  const mongodb = await createCuttableProxy({ host: stores.hostname, port: Number(stores.port || 27017) });
  onTestFinished(async () => {
    await Promise.all([redis.close(), mongodb.close()]);
  });
  await Promise.all([redis.cut(), mongodb.cut()]);
  const { ask, rows, logged, live, count, output } = await start({
    envOf: (url) => ({
      MONGODB_URL: throughProxy(url, mongodb),
      REDIS_URL: `redis://127.0.0.1:${redis.port}`,
      MONGODB_TIMEOUT: '2s',
    }),
  });
  await logged('mongodb.away');
  await mongodb.restore();
  await logged('process.started');
  expect(await live()).toBe(200);
  await redis.restore();
  await until(async () => (await ask("select 'a secret' from entries")).status === 200);
  expect(await rows('select sum(n) from entries')).toEqual([[3]]);
  expect((await ask('select 1', { token: 'another' })).status).toBe(401);
  expect((await ask("select 'a secret' fro entries")).status).toBe(400);
  expect([await count('answered'), await count('refused'), await count('busy')]).toEqual([2, 1, 0]);
  expect(output.text).toContain('"event":"question.answered"');
  expect(output.text).not.toMatch(/a secret|entries"|select/);
});

it('kills the process of a question whose client goes', async () => {
  const { ask, rows, processes, logged, count } = await start();
  await logged('process.started');
  expect(await rows('select count(*) from entries')).toEqual([[3]]);
  await until(async () => (await processes()).length === 1);
  const gone = new AbortController();
  const asked = ask(endless, { signal: gone.signal });
  asked.catch(() => undefined);
  await until(async () => (await processes()).length === 2);
  const [pid] = await processes();
  gone.abort();
  await expect(asked).rejects.toThrow();
  await until(async () => isGone(pid as number));
  await until(async () => (await count('cancelled')) === 1);
});

it('lets nobody wait for the files of another owner', async () => {
  const { ask, rows, store, logged, exporter, exporting } = await start();
  await logged('process.started');
  expect(await rows('select count(*) from entries')).toEqual([[3]]);
  await exporter?.stop();
  const owner = { id: 'c'.repeat(24), username: 'c' };
  const fields = { name: 'c', type: 'other', connectors: [], rawSchema: '{}', domain: 'c-abc234', owner };
  const application = (await store.applications.create(fields))?.id as string;
  const of = { application, domain: fields.domain, owner: owner.id };
  const waiting = Array.from({ length: 5 }, () => ask('select count(*) from entries', { of }));
  const { id: archive, run } = await store.askedArchives.ask(application);
  await until(async () => (await store.jobs.archives.ofRun({ archive, run })) !== undefined);
  expect(await rows('select sum(n) from entries')).toEqual([[3]]);
  await exporting();
  for (const answer of await Promise.all(waiting)) expect(await rowsIn(answer)).toEqual([[0]]);
});

it('answers what it was asked before it stops', async () => {
  const { ask, store, application, logged, child, exporting } = await start({
    envOf: () => ({ SHUTDOWN_TIMEOUT: '60s' }),
    exports: false,
  });
  await logged('process.started');
  const asked = ask('select count(*) from entries');
  const { id: archive, run } = await store.askedArchives.ask(application);
  await until(async () => (await store.jobs.archives.ofRun({ archive, run })) !== undefined);
  child.kill('SIGTERM');
  await logged('process.stopping');
  await exporting();
  const answer = await asked;
  expect([answer.status, await rowsIn(answer)]).toEqual([200, [[3]]]);
  expect(await exitOf(child)).toBe(0);
});

it('ends with its questions when they take longer than it may take to stop', async () => {
  const { ask, rows, processes, logged, child } = await start({ envOf: () => ({ SHUTDOWN_TIMEOUT: '1s' }) });
  await logged('process.started');
  expect(await rows('select count(*) from entries')).toEqual([[3]]);
  await until(async () => (await processes()).length === 1);
  const asked = ask(endless);
  asked.catch(() => undefined);
  await until(async () => (await processes()).length === 2);
  const pids = await processes();
  child.kill('SIGTERM');
  await expect(asked).rejects.toThrow();
  expect(await exitOf(child)).toBe(1);
  await until(async () => pids.every(isGone));
});
