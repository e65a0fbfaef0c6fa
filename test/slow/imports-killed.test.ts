import { expect, it, onTestFinished } from 'vitest';
import { importClient } from '../support/import-client.ts';
import { ownDatabase } from '../support/own-database.ts';
import { startSluice, until } from '../support/sluice.ts';
import { createWorkerProcess } from '../support/worker-process.ts';

/** How often a worker is killed. */
const kills = Number(process.env.KILLS ?? 3);
const killedTotal = 15_000 * (kills + 1);
/** Enough that the worker that is stopped is amid it. */
const stoppedTotal = 30_000;
/** A lease has to end after each kill. */
const timeout = 120_000 + kills * 60_000;
/** Every tenth line is refused. */
const isBad = (n: number) => n % 10 === 7;

async function begin(total: number) {
  const { db, url: MONGODB_URL } = await ownDatabase();
  const sluice = await startSluice({ workers: false, env: { MONGODB_URL } });
  onTestFinished(() => sluice.stop());
  const { token } = await sluice.owner();
  const schema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
  const domain = await sluice.application(token, schema);
  const client = importClient(sluice, token);
  const lines = Array.from({ length: total }, (_, n) =>
    isBad(n) ? `{"m":${n}}` : `{"n":${n},"text":"${n}"}`,
  );
  const { status, body } = await client.start(domain, lines.join('\n'));
  expect(status).toBe(202);
  const look = async () =>
    (await sluice.request('GET', `/applications/${domain}/imports/${body.data.id}`, { token })).body.data;
  const env = { ...sluice.env, WORKER_CONCURRENCY: '2' };
  return { total, db, client, domain, id: body.data.id as string, look, env };
}

/** Resolves when so many lines are done, or all. */
const reached = (look: () => Promise<{ state: string; progress: { done: number } }>, done: number) =>
  until(async () => {
    const { state, progress } = await look();
    return progress.done >= done || (state !== 'active' && state !== 'waiting');
  }, timeout);

async function expectAll({ total, db, client, look, id }: Awaited<ReturnType<typeof begin>>): Promise<void> {
  const refused = Array.from({ length: total }, (_, n) => n).filter(isBad);
  expect(await look()).toMatchObject({
    state: 'completed',
    progress: { done: total, total },
    accepted: total - refused.length,
    rejected: refused.length,
    file: { rows: refused.length },
  });
  const stored: number[] = [];
  for await (const { payload } of db.collection('entries').find().sort({ _id: 1 })) stored.push(payload.n);
  expect(stored.length).toBe(total - refused.length);
  // In the order of the file, so each of them once.
  expect(stored.findIndex((n, at) => at > 0 && n <= (stored[at - 1] as number))).toBe(-1);
  const reported = (await client.report(id)).map(({ line }) => line - 1);
  expect([reported.length, reported.findIndex((n, at) => n !== refused[at])]).toEqual([refused.length, -1]);
  expect(await db.collection('chunks').countDocuments({})).toBe(0);
}

it(
  'an import whose workers are killed again and again stores every line once, in order',
  async () => {
    const run = await begin(killedTotal);
    const workers = [0, 1].map(() => createWorkerProcess('ingest-worker', run.env));
    await Promise.all(workers.map((worker) => worker.start()));
    for (let round = 0; round < kills; round++) {
      await reached(run.look, ((round + 0.5) / kills) * killedTotal);
      const worker = workers[round % 2] as (typeof workers)[0];
      worker.kill();
      await worker.gone();
      await worker.start();
    }
    await reached(run.look, Number.POSITIVE_INFINITY);
    await expectAll(run);
  },
  timeout,
);

it(
  'an import whose only worker is stopped goes on at once with the next one',
  async () => {
    const run = await begin(stoppedTotal);
    const first = createWorkerProcess('ingest-worker', run.env);
    await first.start();
    await reached(run.look, stoppedTotal / 4);
    await first.stop();
    expect(await run.db.collection('chunks').countDocuments({ leaseUntil: { $gt: new Date() } })).toBe(0);
    await createWorkerProcess('ingest-worker', run.env).start();
    await reached(run.look, Number.POSITIVE_INFINITY);
    await expectAll(run);
  },
  timeout,
);
