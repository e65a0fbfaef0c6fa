import { describe, it } from 'vitest';
import { createClient } from '../compose/client.ts';
import type { Cluster, Mend } from './cluster.ts';
import { expectExact, expectOnly, times } from './expectations.ts';
import { createAsker } from './jobs.ts';
import { startOracle } from './oracle.ts';

export function redisFaults(cluster: () => Cluster): void {
  describe('without Redis', () => {
    const pausedMs = times(15_000, 60_000);

    /** Takes Redis away and starts the APIs and workers without it: they wait for it, and the APIs serve. */
    async function boot(id: string): Promise<Mend> {
      const { stop, replicas, kill, healthy } = cluster();
      const mend = await stop(id);
      for (const service of ['api', 'ingest-worker', 'export-worker'])
        for (const replica of await replicas(service)) {
          await (await kill(replica))();
          if (service === 'api') await healthy(replica);
        }
      return mend;
    }

    async function empty(): Promise<Mend> {
      await cluster().redis('FLUSHALL');
      return async () => undefined;
    }

    async function fill(): Promise<Mend> {
      const { redis } = cluster();
      await redis('CONFIG', 'SET', 'maxmemory', '1mb');
      return () => redis('CONFIG', 'SET', 'maxmemory', '256mb');
    }

    it.each([
      ['absent at boot', 5_000, boot],
      ['killed', 5_000, (id: string) => cluster().kill(id)],
      ['emptied', 5_000, empty],
      ['paused', pausedMs, (id: string) => cluster().pause(id)],
      ['full', 5_000, fill],
    ])('that is %s, every upload is taken and every accepted job completes', async (how, awayMs, fault) => {
      const { url, one, healthy } = cluster();
      const client = await createClient(url);
      const asker = await createAsker(url);
      const isBoot = how === 'absent at boot';
      // An API that is killed fails what it has under way: at a boot the load begins behind it.
      const before = isBoot ? undefined : startOracle(client, { connections: 16 });
      await before?.goOn(100);
      await asker.ask();
      const mend = await fault(await one('redis'));
      const oracle = before ?? startOracle(client, { connections: 16 });
      const end = performance.now() + awayMs;
      while (performance.now() < end) {
        await asker.ask();
        await oracle.goOn(50);
      }
      await mend();
      await healthy(await one('redis'));
      await asker.ask();
      const jobs = await asker.expectDone();
      await expectExact(`Redis ${how}`, oracle, { jobs });
      expectOnly(oracle, 201);
    });
  });
}
