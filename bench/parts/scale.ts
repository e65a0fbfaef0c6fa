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

/** One and two processes of the API, with the same connections in total. */
export async function scale(bench: Bench): Promise<Section> {
  const body = bench.write('payload.json', payloadOf(1_024));
  let domain: string | undefined;
  const turns = [];
  for (const processes of processCounts) {
    const apis = [];
    for (let i = 0; i < processes; i++) apis.push(await startApi(bench, { database }));
    domain ??= await (await openAccount(apis[0]?.url as string)).create(schemaOf());
    const targets = apis.map((api) => api.uploadsOf(domain as string));
    for (const uploads of targets) await expectEcho(uploads, body);
    for (const connections of connectionCounts)
      turns.push({
        name: `${processes} ${processes === 1 ? 'process' : 'processes'}, ${connections} connections`,
        async measure() {
          const load = { body, connections: connections / processes };
          const measured = await Promise.all(targets.map((uploads) => measure(bench, uploads, load)));
          return measured.reduce((sum, { rate }) => sum + rate, 0);
        },
      });
  }
  const results = await inRounds(bench.options.rounds, turns, bench.say, (rate) => `${figure(rate)}/s`);
  const rows = turns.map(({ name }, i) => [name, spread(results[i] ?? [])]);
  const compared = connectionCounts.map((connections, i) => ({
    name: `2 processes / 1, ${connections} connections`,
    over: results[connectionCounts.length + i] ?? [],
    under: results[i] ?? [],
  }));
  return { text: `${table(['answers a second', ''], rows)}\n\n${ratios(compared)}` };
}
