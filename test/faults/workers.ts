import { quotas } from '@sluice/api/limits/table.ts';
import { describe, expect, it } from 'vitest';
import { createClient } from '../compose/client.ts';
import { until } from '../compose/stack.ts';
import type { Cluster } from './cluster.ts';
import { times } from './expectations.ts';
import { isOver } from './jobs.ts';

/** In each file: so much that most workers are amid one when they are killed. */
const entries = 10_000;
const killEveryMs = 5_000;

export function workerFaults(cluster: () => Cluster): void {
  describe('export workers', () => {
    const scaleTo = (count: number) =>
      cluster().compose(
        'up',
        '-d',
        '--no-deps',
        '--no-recreate',
        '--scale',
        `export-worker=${count}`,
        'export-worker',
      );

    it('that are killed every 5 s, and scaled from 1 to 8 to 2 meanwhile, do each job once', async () => {
      const { url, replicas, kill } = cluster();
      const lines = Array.from({ length: entries }, (_, n) => `{"n":${n}}\n`).join('');
      const wanted = times(60, 1_000);
      const clients: Awaited<ReturnType<typeof createClient>>[] = [];
      while (clients.length < wanted / quotas.storedExports.limit) {
        const client = await createClient(url);
        const stored = await client.call('POST', `${client.path}/data/batch`, lines, {
          'content-type': 'application/x-ndjson',
        });
        expect(stored.status).toBe(201);
        clients.push(client);
      }
      const open = async (): Promise<number> => {
        let count = 0;
        for (const client of clients) {
          const { body } = await client.call('GET', `${client.path}/exports`);
          count += body.data.filter((job: { state: string }) => !isOver(job)).length;
        }
        return count;
      };

      // One worker makes them as fast as they are asked for.
      await scaleTo(0);
      const jobs: { client: (typeof clients)[number]; path: string }[] = [];
      for (let i = 0; i < wanted; i++) {
        const client = clients[i % clients.length] as (typeof clients)[number];
        const { status, body } = await client.call('POST', `${client.path}/exports`, {});
        expect(status).toBe(202);
        jobs.push({ client, path: `${client.path}/exports/${body.data.id}` });
      }
      await scaleTo(1);
      let kills = 0;
      async function killOne(): Promise<void> {
        const ids = await replicas('export-worker');
        const victim = ids[kills % ids.length] as string;
        await (await kill(victim))();
        kills += 1;
      }
      await killOne();
      const steps = [
        { below: wanted, count: 8 },
        { below: wanted / 2, count: 2 },
      ];
      let killedAt = performance.now();
      for (let left = await open(); left > 0; left = await open()) {
        if (left < (steps[0]?.below ?? 0)) await scaleTo(steps.shift()?.count as number);
        await until('it is time for another kill, or some more are done', async () => {
          return performance.now() - killedAt > killEveryMs || (await open()) < left;
        });
        if (performance.now() - killedAt < killEveryMs) continue;
        await killOne();
        killedAt = performance.now();
      }
      await scaleTo(2);

      for (const { client, path } of jobs) {
        const { state, file } = (await client.call('GET', path)).body.data;
        const numbers = (await client.call('GET', `${path}/file`)).text.split('\r\n').slice(1, -1);
        expect([state, file.rows, numbers.length]).toEqual(['completed', entries, entries]);
        expect(new Set(numbers.map((row) => row.split(',')[1])).size).toBe(entries);
      }
      console.log(`${wanted} exports`, JSON.stringify({ kills, scaled: 2 - steps.length }));
      expect([kills > 0, steps]).toEqual([true, []]);
    });
  });
}
