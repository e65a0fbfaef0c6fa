import { describe, it } from 'vitest';
import { createClient } from '../compose/client.ts';
import { docker } from '../compose/stack.ts';
import type { Cluster } from './cluster.ts';
import { expectExact, expectOnly, times } from './expectations.ts';
import { createAsker } from './jobs.ts';
import { startOracle } from './oracle.ts';

/** What Toxiproxy does to answers of a store: https://github.com/Shopify/toxiproxy#toxics */
interface Toxic {
  type: 'latency' | 'timeout' | 'reset_peer' | 'limit_data' | 'bandwidth';
  attributes: Record<string, number>;
}

const toxics: [string, Toxic][] = [
  ['come 100 to 700 ms late', { type: 'latency', attributes: { latency: 400, jitter: 300 } }],
  ['never come', { type: 'timeout', attributes: { timeout: 0 } }],
  ['end in a reset after a second', { type: 'reset_peer', attributes: { timeout: 1_000 } }],
  ['are cut off after 20 kB', { type: 'limit_data', attributes: { bytes: 20_000 } }],
  ['come at 50 kB a second', { type: 'bandwidth', attributes: { rate: 50 } }],
];

export function networkFaults(cluster: () => Cluster): void {
  const awayMs = times(8_000, 30_000);

  /** Asked from within an API, which has the way there. */
  async function toxiproxy(store: string, method: string, path: string, body?: object): Promise<void> {
    const script = `
      const answer = await fetch('http://toxic-${store}:8474/proxies/store/toxics${path}', ${JSON.stringify({ method, ...(body && { body: JSON.stringify(body) }) })});
      if (!answer.ok) throw new Error(await answer.text());
    `;
    await docker('exec', await cluster().one('api'), 'node', '--input-type=module', '-e', script);
  }

  async function under(stores: string[], toxic: Toxic, statuses: number[], what: string): Promise<void> {
    const { url } = cluster();
    const asker = await createAsker(url);
    const oracle = startOracle(await createClient(url), { connections: 16 });
    await oracle.goOn(100);
    await asker.ask();
    const fault = { ...toxic, name: 'fault', stream: 'downstream' };
    for (const store of stores) await toxiproxy(store, 'POST', '', fault);
    await oracle.goOnFor(awayMs);
    for (const store of stores) await toxiproxy(store, 'DELETE', '/fault');
    await oracle.goOn(200);
    await asker.ask();
    const jobs = await asker.expectDone();
    await expectExact(what, oracle, { jobs });
    expectOnly(oracle, ...statuses);
  }

  describe.each(toxics)('when answers %s', (how, toxic) => {
    it('of the primary: what is acknowledged is stored once', async () => {
      await under([await cluster().primary()], toxic, [201, 503], `answers of the primary ${how}`);
    });

    it('of all members of MongoDB: what is acknowledged is stored once', async () => {
      await under(cluster().members, toxic, [201, 503], `answers of MongoDB ${how}`);
    });

    it('of Redis: every upload is taken', async () => {
      await under(['redis'], toxic, [201], `answers of Redis ${how}`);
    });
  });
}
