import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { startApi } from '@sluice/api/start.ts';
import { startExportWorker } from '@sluice/export-worker/start.ts';
import { startIngestWorker } from '@sluice/ingest-worker/start.ts';
import { connectStore } from '@sluice/jobs/connect.ts';
import { parseJson } from '@sluice/json/parse-json.ts';
import {
  type ApiConfig,
  loadApiConfig,
  loadExportWorkerConfig,
  loadIngestWorkerConfig,
} from '@sluice/shared/config/load.ts';
import { createLogger } from '@sluice/shared/logger.ts';
import { inject, onTestFinished } from 'vitest';
import { shardDatabase } from './mongos/shard-database.ts';
import { questionSettings, startQuestions } from './questions.ts';
import { calmTimings, quickApiTimings, quickTimings } from './quick-timings.ts';

export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  body: any;
}

export interface Call {
  token?: string | undefined;
  json?: unknown;
  body?: string | Uint8Array<ArrayBuffer>;
  headers?: Record<string, string>;
}

type Env = Record<string, string>;

/** A database and a Redis prefix that no other test uses. */
export function ownStores(redisUrl: string = inject('redisUrl')): Env {
  const name = `sluice_test_${randomBytes(6).toString('hex')}`;
  const mongodb = new URL(inject('mongodbUrl'));
  mongodb.pathname = `/${name}`;
  return {
    MONGODB_URL: mongodb.href,
    REDIS_URL: redisUrl,
    REDIS_PREFIX: name,
    // On a machine that is busy with other tests the stores are slow, not away.
    MONGODB_TIMEOUT: '60s',
    REDIS_TIMEOUT: '30s',
    LOG_LEVEL: process.env.TEST_LOG ?? 'silent',
    JWT_SECRET: randomBytes(32).toString('hex'),
    REGISTRATION_OPEN: 'on',
    BCRYPT_COST: '4',
    REGISTER_RATE: 'off',
    LOGIN_RATE: 'off',
    PORT: '0',
    // Deleted applications are purged at once.
    DELETION_GRACE: '0',
    NODE_ENV: 'test',
  };
}

export async function call(
  url: string,
  method: string,
  path: string,
  { token, json, body, headers }: Call = {},
): Promise<Answer> {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: {
      ...(token && { authorization: `Bearer ${token}` }),
      ...((json !== undefined || body !== undefined) && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(json !== undefined ? { body: JSON.stringify(json) } : body !== undefined ? { body } : {}),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json') && text !== '';
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: isJson ? parseJson(text) : undefined,
  };
}

/** Of an answer that may have no end. */
export async function statusOf(url: string, init: RequestInit): Promise<number> {
  const { status, body } = await fetch(url, init);
  await body?.cancel();
  return status;
}

/**
 * A short time limit of the workers makes the grace short that a purge waits for uploads still under way. The API keeps its own:
 * a busy machine may be slower.
 */
export const quickPurges: Env = { MONGODB_TIMEOUT: '1s' };

interface Settings {
  env?: Env;
  workers?: boolean;
  /** Whether a query worker runs too. */
  questions?: boolean;
  workerEnv?: Env;
}

/** What lets an API ask a query worker, and what removes the files in the end. */
async function forQuestions(): Promise<{ env: Env; remove(): void }> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-lake-'));
  return {
    env: { ...(await questionSettings()), ARCHIVE_FOLDER: folder },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** An API of its own, with workers unless told otherwise, on stores of its own. Call in `beforeAll` or a test; hand `stop` to `afterAll`. */
export async function startSluice({
  env = {},
  workers = true,
  questions = false,
  workerEnv = {},
  workerTimings = quickTimings,
  capacity,
  timings,
}: Settings & {
  workerTimings?: typeof quickTimings;
  capacity?: Parameters<typeof startApi>[2];
  /** Of the API. */
  timings?: Parameters<typeof startApi>[3];
} = {}) {
  const asking = questions ? await forQuestions() : undefined;
  const vars: Env = { ...ownStores(env.REDIS_URL), ...asking?.env, ...env };
  if (inject('isCluster')) await shardDatabase(vars.MONGODB_URL as string);
  const log = createLogger('test', { level: vars.LOG_LEVEL as string, pretty: false });
  const config: ApiConfig = loadApiConfig(vars);
  const api = await startApi(config, log, capacity, { ...quickApiTimings, ...timings });
  const started = workers
    ? await Promise.all([
        startExportWorker(loadExportWorkerConfig({ ...vars, ...workerEnv }), log, workerTimings),
        startIngestWorker(loadIngestWorkerConfig({ ...vars, ...workerEnv }), log, workerTimings),
      ])
    : [];
  const asked = asking && (await startQuestions(vars));
  await until(async () => (await call(api.url, 'GET', '/api/health/ready')).status === 200);

  const request = (method: string, path: string, options?: Call) =>
    call(api.url, method, `/api${path}`, options);

  /** Registers a user and logs in. */
  async function owner(username = `u${randomBytes(6).toString('hex')}`) {
    const credentials = { username, password: 'correct horse' };
    await request('POST', '/users/register', { json: { ...credentials, locale: 'en' } });
    const { body } = await request('POST', '/users/login', { json: credentials });
    return { username, token: body.data.token as string };
  }

  /** Creates an application; returns its domain. */
  async function application(token: string, schema: object = { type: 'object' }): Promise<string> {
    const json = { name: 'Test', type: 'other', schema: JSON.stringify(schema) };
    const { body, text } = await request('POST', '/applications', { token, json });
    if (!body?.data) throw new Error(text);
    return body.data.domain;
  }

  return {
    url: api.url,
    env: vars,
    request,
    owner,
    application,
    async stop() {
      await Promise.all([api.stop(), asked?.stop(), ...started.map((worker) => worker.stop())]);
      asking?.remove();
    },
  };
}

export type Sluice = Awaited<ReturnType<typeof startSluice>>;

/** Other test files share it, so no file may stop it. */
export type SharedSluice = Omit<Sluice, 'stop'>;

const shared = new Map<string, Promise<SharedSluice>>();

/**
 * One Sluice for all test files of a Vitest worker that ask for the same settings; it ends with the worker.
 *
 * A start costs as much processor time as many tests. A file that stops it, or looks at all that is stored, starts its own.
 */
export function sharedSluice(settings: Settings = {}): Promise<SharedSluice> {
  const key = JSON.stringify(settings);
  const running = shared.get(key) ?? startSluice({ ...settings, workerTimings: calmTimings });
  shared.set(key, running);
  return running;
}

/** Opens the store behind a running Sluice, closed when the test ends. */
export function storeOf({ env }: SharedSluice) {
  const store = connectStore(
    { url: env.MONGODB_URL as string, timeoutMs: 60_000 },
    'sluice-test',
    'impatient',
  );
  onTestFinished(() => store.close());
  return store;
}

const isTooSlow =
  /too slow; nothing was stored|stored in part; a retry with the same Idempotency-Key stores the rest/;

/** Repeats an upload while MongoDB or the validating thread is too slow, as on a machine busy with other tests. */
export async function untilTaken<T extends { status: number; text: string }>(
  send: () => Promise<T>,
): Promise<T> {
  for (;;) {
    const answer = await send();
    if (answer.status !== 503 || !isTooSlow.test(answer.text)) return answer;
  }
}

/** Pause between two checks: the code under test needs the processor too. What took long may take a twentieth more. */
const pollMs = (waitedMs: number) => Math.min(250, Math.max(20, waitedMs / 20));

/** Resolves when the condition holds; rejects after the time limit. */
export async function until(condition: () => Promise<boolean>, withinMs = 60_000): Promise<void> {
  const began = Date.now();
  while (!(await condition())) {
    const waitedMs = Date.now() - began;
    if (waitedMs > withinMs) throw new Error(`not within ${withinMs / 1_000} s: ${condition}`);
    await pause(pollMs(waitedMs));
  }
}
