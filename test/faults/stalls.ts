import { describe, it } from 'vitest';
import { createClient } from '../compose/client.ts';
import type { Cluster } from './cluster.ts';
import { expectExact, expectOnly, times } from './expectations.ts';
import { createAsker } from './jobs.ts';
import { startOracle } from './oracle.ts';

export function stallFaults(cluster: () => Cluster): void {
  describe('a process that stands still and goes on', () => {
    const stalledMs = times(12_000, 30_000);

    it.each([
      // Requests at a stopped replica get no answer: HAProxy closes them when the replica counts as down.
      ['api', [0, 201]],
      ['primary', [201, 503]],
      ['ingest-worker', [201]],
      ['export-worker', [201]],
    ] as const)('loses and doubles nothing: %s', async (which, statuses) => {
      const { url, primary, one, pause, healthy } = cluster();
      const asker = await createAsker(url);
      const oracle = startOracle(await createClient(url), { connections: 16 });
      await oracle.goOn(100);
      await asker.ask();
      const id = await one(which === 'primary' ? await primary() : which);
      const mend = await pause(id);
      const end = performance.now() + stalledMs;
      while (performance.now() < end) {
        await asker.ask();
        await oracle.goOn(20);
      }
      await mend();
      await healthy(id);
      await oracle.goOn(100);
      const jobs = await asker.expectDone();
      await expectExact(`${which} paused for ${stalledMs / 1_000} s`, oracle, { jobs });
      expectOnly(oracle, ...statuses);
    });
  });
}
