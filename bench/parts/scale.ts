import { freePort } from '../../local/ports.ts';
import type { Bench } from '../support/bench.ts';
import { expectEcho, measure } from '../support/measure.ts';
import { payloadOf, schemaOf } from '../support/payload.ts';
import type { Section } from '../support/results.ts';
import { inRounds } from '../support/rounds.ts';
import { openAccount, startApi } from '../support/sluice.ts';
import { figure, ratios, spread, table } from '../support/table.ts';

const connectionCounts = [64, 256];
const processCounts = [1, 2];
const database = 'bench_scale';
const env = { REUSE_PORT: 'on' };

/** One and two processes of the API behind one port. */
export async function scale(bench: Bench): Promise<Section> {
  const body = bench.write('payload.json', payloadOf(1_024));
  let domain: string | undefined;
  const turns = [];
  for (const processes of processCounts) {
    const port = await freePort();
    let api = await startApi(bench, { database, port, env });
    for (let i = 1; i < processes; i++) api = await startApi(bench, { database, port, env });
    domain ??= await (await openAccount(api.url)).create(schemaOf());
    const uploads = api.uploadsOf(domain);
    await expectEcho(uploads, body);
    for (const connections of connectionCounts)
      turns.push({
        name: `${processes} ${processes === 1 ? 'process' : 'processes'}, ${connections} connections`,
        measure: async () => (await measure(bench, uploads, { body, connections })).rate,
      });
  }
  const results = await inRounds(bench.options.rounds, turns, bench.say, (rate) => `${figure(rate)}/s`);
  const rows = turns.map(({ name }, i) => [name, spread(results[i] ?? [])]);
  const compared = connectionCounts.map((connections, i) => ({
    name: `2 processes / 1, ${connections} connections`,
    ...{ over: results[connectionCounts.length + i] ?? [], under: results[i] ?? [] },
  }));
  return { text: `${table(['answers a second', ''], rows)}\n\n${ratios(compared)}` };
}
