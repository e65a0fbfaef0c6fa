import { expect, it, onTestFinished } from 'vitest';
import { keepMany } from '../support/many-refused.ts';
import { ownDatabase } from '../support/own-database.ts';
import { startSluice, storeOf, until } from '../support/sluice.ts';
import { createWorkerProcess } from '../support/worker-process.ts';

/** How often a worker is killed. */
const kills = Number(process.env.KILLS ?? 2);
const total = 2_000 * (kills + 1);
/** A lease has to end after each kill. */
const timeout = 120_000 + kills * 60_000;
/** Every tenth upload is refused still. */
const isBad = (n: number) => n % 10 === 7;

it(
  'a replay whose workers are killed again and again stores every upload once',
  async () => {
    const { db, url: MONGODB_URL } = await ownDatabase();
    const sluice = await startSluice({ workers: false, env: { MONGODB_URL } });
    onTestFinished(() => sluice.stop());
    const { token } = await sluice.owner();
    const schema = { type: 'object', properties: { n: { type: 'integer' } } };
    const domain = await sluice.application(token, schema);
    const path = `/applications/${domain}`;
    await sluice.request('PATCH', path, { token, json: { refused: { limit: 100_000 } } });
    const store = storeOf(sluice);
    const { id: application } = (await store.applications.byDomain(domain)) as { id: string };
    await keepMany(store, application, total, isBad);

    const replay = async () => {
      const json = { coerce: [{ path: '/n', to: 'integer' }] };
      return (await sluice.request('POST', `${path}/replays`, { token, json })).body.data.id as string;
    };
    const look = async (id: string) =>
      (await sluice.request('GET', `${path}/replays/${id}`, { token })).body.data;
    const reached = (id: string, done: number) =>
      until(async () => {
        const job = await look(id);
        return job.progress.done >= done || job.state === 'completed';
      }, timeout);

    const id = await replay();
    expect(await look(id)).toMatchObject({ state: 'waiting', progress: { done: 0, total } });
    const worker = createWorkerProcess('ingest-worker', sluice.env);
    await worker.start();
    for (let round = 0; round < kills; round++) {
      await reached(id, ((round + 0.5) / kills) * total);
      worker.kill();
      await worker.gone();
      await worker.start();
    }
    await reached(id, Number.POSITIVE_INFINITY);
    const again = await replay();
    await reached(again, Number.POSITIVE_INFINITY);

    const bad = Array.from({ length: total }, (_, n) => n).filter(isBad).length;
    expect(await look(id)).toMatchObject({
      state: 'completed',
      progress: { done: total, total },
      result: { stored: total - bad, still_refused: bad },
    });
    expect(await look(again)).toMatchObject({ result: { stored: 0, still_refused: bad } });
    const stored: number[] = [];
    for await (const { payload } of db.collection('entries').find()) stored.push(payload.n);
    stored.sort((a, b) => a - b);
    const expected = Array.from({ length: total }, (_, n) => n).filter((n) => !isBad(n));
    expect(stored.length).toBe(expected.length);
    expect(stored.findIndex((n, at) => n !== expected[at])).toBe(-1);
    expect(await store.refused.count(application, {})).toBe(bad);
  },
  timeout,
);
