import { describe, it } from 'vitest';
import { createClient } from '../compose/client.ts';
import type { Cluster } from './cluster.ts';
import { expectExact, expectOnly } from './expectations.ts';
import { createAsker } from './jobs.ts';
import { startOracle } from './oracle.ts';

export function restarts(cluster: () => Cluster): void {
  describe('a rolling restart', () => {
    it('of every service fails no request and loses no job', async () => {
      const { url, replicas, stop, healthy } = cluster();
      const asker = await createAsker(url);
      const oracle = startOracle(await createClient(url), { connections: 16 });
      await oracle.goOn(100);
      for (const service of ['api', 'ingest-worker', 'export-worker']) {
        for (const id of await replicas(service)) {
          await asker.ask();
          const mend = await stop(id);
          await oracle.goOn(100);
          await mend();
          await healthy(id);
        }
      }
      const jobs = await asker.expectDone();
      await expectExact('rolling restart', oracle, { jobs });
      expectOnly(oracle, 201);
    });
  });
}
