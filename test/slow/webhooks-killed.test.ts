import { connectRedis } from '@sluice/jobs/queue/redis.ts';
import { createLogger } from '@sluice/shared/logger.ts';
import { expect, it, onTestFinished } from 'vitest';
import { ownDatabase } from '../support/own-database.ts';
import { createReceiver, type Received } from '../support/receiver.ts';
import { startSluice, until } from '../support/sluice.ts';
import { createWorkerProcess } from '../support/worker-process.ts';

const entries = Number(process.env.ENTRIES ?? 6_000);
const batch = 500;
const killEvery = Number(process.env.KILL_EVERY ?? 2_000);

const numbersOf = (received: Received[]): number[] =>
  received.flatMap(({ event }) =>
    event.data.entries.map(({ payload }: { payload: { n: number } }) => payload.n),
  );

/** In the order of their first time. */
const firstOf = (numbers: number[]) => [...new Set(numbers)];

it(
  'a webhook gets every entry in order, whatever its receiver does, while workers are killed and Redis is emptied',
  async () => {
    const { url: MONGODB_URL } = await ownDatabase();
    const sluice = await startSluice({ workers: false, env: { MONGODB_URL, OUTBOUND_ALLOW: '127.0.0.1' } });
    onTestFinished(sluice.stop);
    const log = createLogger('test', { level: 'silent', pretty: false });
    const { REDIS_URL: url = '', REDIS_PREFIX: prefix = '' } = sluice.env;
    const redis = connectRedis({ url }, log, 'patient');
    onTestFinished(() => redis.disconnect());
    const empty = async () => {
      const keys = await redis.keys(`{${prefix}}:*`);
      if (keys.length > 0) await redis.unlink(...keys);
    };

    const taken: Received[] = [];
    const rough = await createReceiver((response, received) => {
      const chance = Math.random();
      if (chance < 0.1) return void response.writeHead(500).end();
      if (chance < 0.15) return void response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end();
      if (chance < 0.2) return void response.destroy();
      taken.push(received);
      // Taken, but the sender does not know.
      if (chance < 0.25) return void response.destroy();
      response.end();
    });
    const steady = await createReceiver();

    const { token } = await sluice.owner();
    const domain = await sluice.application(token);
    const path = `/applications/${domain}`;
    const post = (where: string, json: unknown) => sluice.request('POST', `${path}${where}`, { token, json });
    for (const { url } of [rough, steady])
      expect((await post('/webhooks', { url, events: ['entries.stored'] })).status).toBe(200);

    const workers = [0, 1].map(() => createWorkerProcess('ingest-worker', sluice.env));
    await Promise.all(workers.map((worker) => worker.start()));
    let kills = 0;
    let isOver = false;
    async function kill(): Promise<void> {
      for (let turn = 0; !isOver; turn++) {
        const [worker] = [workers[turn % 2] as (typeof workers)[0]];
        await new Promise((resolve) => setTimeout(resolve, killEvery));
        worker.kill();
        await worker.gone();
        kills += 1;
        if (kills % 5 === 2) await empty();
        await worker.start();
      }
    }
    const killing = kill();
    for (let n = 0; n < entries; n += batch)
      expect(
        (
          await post(
            '/data/batch',
            Array.from({ length: batch }, (_, i) => ({ n: n + i })),
          )
        ).status,
      ).toBe(201);

    const all = Array.from({ length: entries }, (_, n) => n);
    const hasAll = (received: Received[]) => new Set(numbersOf(received)).size === entries;
    await until(async () => hasAll(taken) && hasAll(steady.received), 240_000 + entries * 10);
    isOver = true;
    await killing;
    expect(firstOf(numbersOf(taken))).toEqual(all);
    expect(firstOf(numbersOf(steady.received))).toEqual(all);
    const repeated = (received: Received[]) => numbersOf(received).length - entries;
    console.log({ entries, kills, repeated: { rough: repeated(taken), steady: repeated(steady.received) } });
  },
  300_000 + entries * 20,
);
