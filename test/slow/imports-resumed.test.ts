import { createReadStream, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Upload } from 'tus-js-client';
import { expect, it, onTestFinished } from 'vitest';
import { createApiProcess } from '../support/api-process.ts';
import { createCuttingProxy } from '../support/cutting-proxy.ts';
import { call, ownStores, until } from '../support/sluice.ts';
import { createWorkerProcess } from '../support/worker-process.ts';

/** `BYTES=1073741824` sends a GiB; `SEE=1` prints what it took. */
const size = Number(process.env.BYTES ?? 64 * 1024 ** 2);
const lineBytes = 10_240;
const count = Math.floor(size / lineBytes);
const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0);
const line = (n: number) => {
  const start = `{"n":${n},"pad":"`;
  return `${start}${'x'.repeat(lineBytes - start.length - 3)}"}\n`;
};

async function writeFile(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-import-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'weather.ndjson');
  const file = await open(path, 'w');
  for (let from = 0; from < count; from += 1_000) {
    const lines = Array.from({ length: Math.min(1_000, count - from) }, (_, n) => line(from + n));
    await file.write(lines.join(''));
  }
  await file.close();
  return path;
}

/** The most memory that a process had, in MiB. */
const peakOf = (pid: number | undefined) =>
  Math.round(Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024);

it('a file whose connection is cut ten times, whose API is killed, and two of whose workers, is stored once', async () => {
  const env = ownStores();
  const api = await createApiProcess(env);
  await api.start();
  const token = await api.owner();
  const application = await call(api.url, 'POST', '/api/applications', {
    token,
    json: { name: 'Test', type: 'other', schema: '{"type":"object"}' },
  });
  const path = `/api/applications/${application.body.data.domain}`;
  const ask = async (where: string) => (await call(api.url, 'GET', path + where, { token })).body.data;
  const file = await writeFile();
  const proxy = await createCuttingProxy(api.url, { after: size / 12, times: 10 });
  let isKilled = false;
  /** Bytes that were sent and did not arrive, at each answer of the API. */
  const lost: number[] = [];
  const url = await new Promise<string>((resolve, reject) => {
    const upload = new Upload(createReadStream(file), {
      endpoint: `${proxy.url}${path}/import-files`,
      headers: { authorization: `Bearer ${token}` },
      metadata: { filename: 'weather.ndjson' },
      retryDelays: Array.from({ length: 1_000 }, () => 200),
      chunkSize: Number.POSITIVE_INFINITY,
      onProgress(sent) {
        if (isKilled || sent < size / 2) return;
        isKilled = true;
        api.kill();
        void api.gone().then(api.start);
      },
      onAfterResponse(_request, response) {
        const offset = response.getHeader('upload-offset');
        if (offset === undefined) return;
        lost.push(proxy.sent() - Number(offset) - sum(lost));
      },
      onError: reject,
      onSuccess: () => resolve(upload.url as string),
    });
    upload.start();
  });
  const id = url.split('/').at(-1) as string;
  expect([isKilled, proxy.left()]).toEqual([true, 0]);
  const peaks = { api: peakOf(api.pid()), worker: 0 };
  const worker = createWorkerProcess('ingest-worker', env);
  for (let kills = 0; kills < 2; kills++) {
    await worker.start();
    await until(async () => (await ask(`/imports/${id}`)).state === 'active');
    worker.kill();
    await worker.gone();
  }
  await worker.start();
  await until(async () => {
    peaks.worker = peakOf(worker.pid());
    return !['waiting', 'active'].includes((await ask(`/imports/${id}`)).state);
  }, Number.POSITIVE_INFINITY);
  expect(await ask(`/imports/${id}`)).toMatchObject({ state: 'completed', accepted: count, rejected: 0 });
  const seen = new Set<number>();
  let after: string | undefined;
  let listed = 0;
  do {
    const page = await ask(`/data?limit=500${after ? `&after=${after}` : ''}`);
    for (const { payload } of page.result) seen.add(payload.n);
    listed += page.result.length;
    after = page.pagination.isLast ? undefined : page.pagination.cursor;
  } while (after);
  expect([listed, seen.size, Math.max(...seen)]).toEqual([count, count, count - 1]);
  const ratio = proxy.sent() / (count * lineBytes);
  if (process.env.SEE) console.log({ bytes: count * lineBytes, sent: proxy.sent(), ratio, peaks, lost });
  // What the killed API had not read yet can be as much as the system's buffers hold.
  const ofCuts = lost.toSorted((one, other) => one - other).slice(0, -1);
  expect(ofCuts.filter((bytes) => bytes > 2.5 * 1024 ** 2)).toEqual([]);
  expect((await ask('/imports')).length).toBe(1);
}, 1_800_000);
