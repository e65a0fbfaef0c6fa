import { describe, expect, it } from 'vitest';
import { createClient } from '../compose/client.ts';
import { docker } from '../compose/stack.ts';
import type { Cluster } from './cluster.ts';
import { expectExact, expectOnly } from './expectations.ts';
import { createAsker } from './jobs.ts';
import { startOracle } from './oracle.ts';

export function clockFaults(cluster: () => Cluster, isPossible: boolean): void {
  describe.runIf(isPossible)('when the clock of an API', () => {
    it.each(['-1h', '+1h'])(
      'is set by %s and back, nothing is lost, and the total is right',
      async (step) => {
        const { url, one } = cluster();
        const client = await createClient(url);
        const asker = await createAsker(url);
        const oracle = startOracle(client, { connections: 16 });
        const id = await one('api');
        const set = (offset: string) => docker('exec', id, 'sh', '-c', `echo ${offset} > /tmp/clock`);
        const now = async () => Number(await docker('exec', id, 'node', '-p', 'Date.now()'));
        await oracle.goOn(200);
        await asker.ask();
        const before = await now();
        await set(step);
        const moved = (await now()) - before;
        expect(Math.sign(moved) === Math.sign(Number.parseInt(step, 10)) && Math.abs(moved) > 3_000_000).toBe(
          true,
        );
        await oracle.goOn(1_000);
        await asker.ask();
        await set('+0');
        await oracle.goOn(500);
        const jobs = await asker.expectDone();
        await expectExact(`clock of an API set by ${step}`, oracle, { jobs });
        expectOnly(oracle, 201);

        const stored = (await client.listed()).length;
        const { body } = await client.call('GET', `${client.path}/data?limit=1`);
        expect(body.data.pagination.total).toBe(stored);
        expect(await client.exported()).toHaveLength(stored);
      },
    );
  });
}
