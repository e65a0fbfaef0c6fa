import { describe, expect, it } from 'vitest';
import { createClient } from '../compose/client.ts';
import { until } from '../compose/stack.ts';
import type { Cluster } from './cluster.ts';
import { expectExact, expectFelt, expectOnly, full, isFelt, times } from './expectations.ts';
import { startOracle } from './oracle.ts';

const median = (numbers: number[]) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;

/** After how many seconds the rate is most of the usual one; -1 when it never is. */
const secondsUntil = (rates: number[], usual: number) => {
  // The first second still counts earlier requests.
  const at = rates.findIndex((rate, second) => second > 0 && rate >= 0.8 * usual);
  return at < 0 ? -1 : at + 1;
};

export function uploadFaults(cluster: () => Cluster): void {
  describe('an acknowledged upload is stored once', () => {
    const start = async (connections: number) =>
      startOracle(await createClient(cluster().url), { connections });

    it('when an API is killed with 200 uploads in flight', async () => {
      const { replicas, kill } = cluster();
      const oracle = await start(200);
      const ids = await replicas('api');
      let kills = 0;
      // On a busy machine a kill can come when no request has reached the API: then others follow.
      while (kills < times(4, 100) || (!isFelt(oracle) && kills < 40)) {
        const id = ids[kills++ % ids.length] as string;
        await oracle.goOn(200);
        const mend = await kill(id);
        await mend();
      }
      await oracle.goOn(200);
      await expectExact(`API killed ${kills} times`, oracle);
      expectFelt(oracle);
    });

    it('when the primary is killed or cut off, and the rate is back within 15 s', async () => {
      const { primary, one, cut, kill, healthy } = cluster();
      const oracle = await start(32);
      const back: number[] = [];
      const faults = times(2, 10);
      for (let i = 0; i < faults; i++) {
        const before = performance.now();
        await oracle.goOn(1_000);
        const usual = median(oracle.rates(before, performance.now()));
        const name = await primary();
        const id = await one(name);
        const began = performance.now();
        const mend = await (i % 2 ? cut(name) : kill(id));
        const passed = () => secondsUntil(oracle.rates(began, performance.now()), usual);
        await until('the rate is back', async () => passed() >= 0);
        back.push(passed());
        await mend();
        await healthy(id);
      }
      await expectExact(`primary lost ${faults} times`, oracle, { back });
      expectFelt(oracle);
      expectOnly(oracle, 201, 503);
      // A promise for a machine with nothing else to do.
      if (full) for (const seconds of back) expect(seconds).toBeLessThanOrEqual(15);
    });

    it('and none is acknowledged while both secondaries are away', async () => {
      const { primary, members, one, pause } = cluster();
      const oracle = await start(32);
      await oracle.goOn(200);
      const first = await primary();
      const others = await Promise.all(members.filter((name) => name !== first).map(one));
      const mends = await Promise.all(others.map(pause));
      // Earlier confirmations are still arriving.
      const refused = () => oracle.answers()[503] ?? 0;
      const before = refused();
      await until('uploads are answered with 503', async () => refused() > before + 32);
      const acknowledged = oracle.acknowledged();
      const away = refused();
      await until('more are', async () => refused() > away + 64);
      expect(oracle.acknowledged()).toBe(acknowledged);
      await Promise.all(mends.map((mend) => mend()));
      await oracle.goOn(500);
      await expectExact('both secondaries away', oracle);
      expectOnly(oracle, 201, 503);
    });
  });
}
