import { expect, it, onTestFinished } from 'vitest';
import { importClient } from '../support/import-client.ts';
import { ownDatabase } from '../support/own-database.ts';
import { rehearsalClient } from '../support/rehearsal-client.ts';
import { startSluice, until } from '../support/sluice.ts';
import { createWorkerProcess } from '../support/worker-process.ts';

/** How often a worker is killed. */
const kills = Number(process.env.KILLS ?? 2);
const total = 15_000 * (kills + 1);
const timeout = 120_000 + kills * 60_000;
const schema = {
  type: 'object',
  properties: { n: { not: { multipleOf: 7 } } },
  required: ['n'],
};
const isBad = (n: number) => n % 7 === 0;

/** An application with many entries, in ranges of which a rehearsal has several. */
async function begin() {
  const { url: MONGODB_URL } = await ownDatabase();
  const sluice = await startSluice({ workers: false, env: { MONGODB_URL } });
  onTestFinished(() => sluice.stop());
  const { token } = await sluice.owner();
  const domain = await sluice.application(token);
  const client = importClient(sluice, token);
  const env = { ...sluice.env, WORKER_CONCURRENCY: '2' };
  const workers = [0, 1].map(() => createWorkerProcess('ingest-worker', env));
  await Promise.all(workers.map((worker) => worker.start()));
  const text = 'x'.repeat(600);
  const lines = Array.from({ length: total }, (_, n) => `{"n":${n},"text":"${text}"}`);
  await client.complete(domain, lines.join('\n'));
  const { applications, milestones } = client.store;
  const application = (await applications.byDomain(domain))?.id as string;
  await milestones.set(application, Date.now() + 60_000, 1_000);
  return { sluice, token, domain, client, workers, rehearsals: rehearsalClient(sluice, token) };
}

it(
  'a rehearsal whose workers are killed again and again counts every entry once, and can be cancelled',
  async () => {
    const { sluice, token, domain, client, workers, rehearsals } = await begin();
    const { body } = await rehearsals.start(domain, schema);
    const { id } = body.data;
    for (let round = 0; round < kills; round++) {
      await until(async () => {
        const { state, progress } = await rehearsals.look(domain, id);
        return progress.done >= ((round + 0.5) / kills) * total || state === 'completed';
      }, timeout);
      const worker = workers[round % 2] as (typeof workers)[0];
      worker.kill();
      await worker.gone();
      await worker.start();
    }
    const job = await rehearsals.ended(domain, id);
    const bad = Array.from({ length: total }, (_, n) => n).filter(isBad);
    expect(job).toMatchObject({
      state: 'completed',
      progress: { done: total, total },
      result: {
        checked: total,
        conforming: total - bad.length,
        groups: [{ path: '/n', keyword: 'not', count: bad.length, example: { n: 0 } }],
      },
      file: { rows: bad.length },
    });
    const found = (await rehearsals.file(domain, id)).map(({ payload }) => payload.n);
    expect(found).toEqual(bad);
    expect(await client.store.chunks.jobs()).toEqual([]);

    await Promise.all(workers.map((worker) => worker.stop()));
    const again = (await rehearsals.start(domain, schema)).body.data.id;
    const path = `/applications/${domain}/rehearsals/${again}`;
    const answer = await sluice.request('DELETE', path, { token });
    expect(answer.body.data.message).toContain('cancelled');
    expect((await rehearsals.ended(domain, again)).state).toBe('cancelled');
  },
  timeout,
);
