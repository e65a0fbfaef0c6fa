import { describe, it } from 'vitest';
import { createClient } from '../compose/client.ts';
import { until } from '../compose/stack.ts';
import type { Cluster } from './cluster.ts';
import { expectExact, expectOnly } from './expectations.ts';
import { createAsker } from './jobs.ts';
import { startOracle } from './oracle.ts';

export function diskFaults(cluster: () => Cluster): void {
  describe('when a disk is full', () => {
    const disk = (script: string) => cluster().compose('exec', '-T', 'disks', 'sh', '-c', script);
    const fill = (store: string) => disk(`! dd if=/dev/zero of=/${store}/filler bs=64k 2>/dev/null`);
    const free = (store: string) => disk(`rm /${store}/filler`);

    it.each([
      ['of the primary', async () => [await cluster().primary()], [201, 503]],
      ['of all members of MongoDB', async () => cluster().members, [201, 503]],
      ['of Redis', async () => ['redis'], [201]],
    ])('%s, what is acknowledged is stored once', async (what, stores, statuses) => {
      const { url, one, healthy } = cluster();
      const asker = await createAsker(url);
      const oracle = startOracle(await createClient(url), { connections: 16 });
      await oracle.goOn(100);
      await asker.ask();
      const full = await stores();
      for (const store of full) await fill(store);
      // The disks of all members are full, so no member can write.
      const isOut = full.length > 1;
      const refused = () => oracle.answers()[503] ?? 0;
      if (isOut) await until('uploads are refused', async () => refused() > 32);
      else await oracle.goOnFor(15_000);
      for (const store of full) await free(store);
      for (const store of full) await healthy(await one(store));
      await oracle.goOn(200);
      await asker.ask();
      const jobs = await asker.expectDone();
      await expectExact(`disk full ${what}`, oracle, { jobs });
      expectOnly(oracle, ...statuses);
    });
  });
}
