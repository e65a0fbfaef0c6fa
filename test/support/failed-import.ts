import type { Document } from 'mongodb';
import { expect, onTestFinished } from 'vitest';
import { importClient } from './import-client.ts';
import { openStore, ownDatabase } from './own-database.ts';
import { startQuickWorker } from './quick-start.ts';
import { startSluice, until } from './sluice.ts';
import { ndjson } from './upload-client.ts';

/** Three chunks. */
export const count = 12_000;
export const lines = (from: number, to: number) =>
  ndjson(Array.from({ length: to - from }, (_, i) => ({ n: from + i, text: `line ${from + i}` })));

/** An API without workers, and an import of so many lines that nobody works on yet. */
export async function startFailing(total = count, env: Record<string, string> = {}) {
  const { db, url: MONGODB_URL } = await ownDatabase();
  const sluice = await startSluice({ workers: false, env: { MONGODB_URL, ...env } });
  onTestFinished(() => sluice.stop());
  const { token } = await sluice.owner();
  const schema = { type: 'object', properties: { n: { type: 'integer', not: { const: 7 } } } };
  const domain = await sluice.application(token, schema);
  const store = openStore(MONGODB_URL);
  const client = importClient(sluice, token);
  const id: string = (await client.start(domain, lines(0, total))).body.data.id;
  const path = `/applications/${domain}/imports/${id}`;
  return {
    total,
    db,
    sluice,
    store,
    token,
    domain,
    client,
    id,
    path,
    work: (REDIS_URL?: string) =>
      startQuickWorker('ingest-worker', { ...sluice.env, ...(REDIS_URL && { REDIS_URL }) }),
    chunks: db.collection('chunks'),
    application: (await store.applications.byDomain(domain))?.id as string,
    retry: () => sluice.request('POST', `${path}/retry`, { token }),
    ended: () => client.ended(domain, id),
    stored: async () => (await db.collection('entries').find().sort({ _id: 1 }).toArray()) as Document[],
  };
}

export type Run = Awaited<ReturnType<typeof startFailing>>;

/** Of a chunk that ten workers began in vain. Returns the worker that found it so. */
export async function fail(
  { chunks, work, ended, stored }: Run,
  redisUrl?: string,
): Promise<{ stop(): Promise<void> }> {
  await chunks.updateOne({ seq: 1 }, { $set: { attempts: 10 } });
  const worker = await work(redisUrl);
  const error = '10 workers tried without success';
  const job = await ended();
  expect(job).toMatchObject({ state: 'failed', error, accepted: (await stored()).length });
  return worker;
}

/** Line 8 alone, with number 7, is refused. */
export async function expectAll({ db, total, ended, client, id, stored }: Run): Promise<void> {
  const job = await ended();
  expect(job).toMatchObject({
    state: 'completed',
    progress: { done: total, total },
    accepted: total - 1,
    rejected: 1,
  });
  expect(job).not.toHaveProperty('error');
  const numbers = (await stored()).flatMap(({ payload }) => ('n' in payload ? [payload.n] : []));
  const due = Array.from({ length: total }, (_, n) => n).filter((n) => n !== 7);
  expect(numbers.length).toBe(due.length);
  expect(numbers.sort((a, b) => a - b)).toEqual(due);
  expect((await client.report(id)).map(({ line }) => line)).toEqual([8]);
  await until(async () => (await db.collection('chunks').countDocuments()) === 0);
}

/** As when nobody can be writing any more: their leases have ended long ago. Resolves when a sweep has seen it. */
export async function settle({ chunks, store, application }: Run): Promise<void> {
  const isFree = { $expr: { $lte: ['$leaseUntil', '$$NOW'] } };
  await until(async () => {
    // Again and again: a worker may give a chunk back only now.
    await chunks.updateMany(isFree, { $set: { leaseUntil: new Date(0) } });
    return (await store.horizon.of(application, Number.POSITIVE_INFINITY)) === Number.POSITIVE_INFINITY;
  });
}
