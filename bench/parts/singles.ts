import type { Bench } from '../support/bench.ts';
import { startFastifyAjv, startFastifyBytes, startInsertOne, startNodeHttp } from '../support/contestants.ts';
import { expectEcho, measure } from '../support/measure.ts';
import { payloadOf, schemaOf } from '../support/payload.ts';
import type { Section } from '../support/results.ts';
import { inRounds } from '../support/rounds.ts';
import { startSluice } from '../support/sluice.ts';
import { figure, type Ratio, ratios, spread, table } from '../support/table.ts';

const connectionCounts = [64, 256];
const targets = {
  'sluice / fastify-ajv': [0.85, 0.95],
  'sluice / insert-one': [5, 8],
  'sluice / node-http': [],
  'sluice / fastify-bytes': [],
};

/** Uploads of 1 KB, one a request. */
export async function singles(bench: Bench): Promise<Section> {
  const schema = bench.write('schema.json', JSON.stringify(schemaOf()));
  const body = bench.write('payload.json', payloadOf(1_024));
  const contestants = [
    await startNodeHttp(bench),
    await startFastifyAjv(bench, schema),
    await startFastifyBytes(bench, schema),
    (await startSluice(bench, { database: 'bench_singles', schema: schemaOf() })).uploads,
    await startInsertOne(bench, schema),
  ];
  for (const uploads of contestants) await expectEcho(uploads, body);

  const turns = connectionCounts.flatMap((connections) =>
    contestants.map((uploads) => ({
      ...{ uploads, connections, name: `${uploads.name}, ${connections} connections` },
      measure: () => measure(bench, uploads, { body, connections }),
    })),
  );
  const results = await inRounds(bench.options.rounds, turns, bench.say, ({ rate }) => `${figure(rate)}/s`);
  const rates = new Map(turns.map(({ name }, i) => [name, (results[i] ?? []).map(({ rate }) => rate)]));
  const of = (name: string | undefined, connections: number) =>
    rates.get(`${name}, ${connections} connections`) ?? [];

  const rows = contestants.map(({ name }) => [
    name,
    ...connectionCounts.map((count) => spread(of(name, count))),
  ]);
  const compared = Object.entries(targets).flatMap(([name, atLeast]) =>
    connectionCounts.map((connections, i): Ratio => {
      const [over, under] = name.split(' / ');
      return {
        name: `${name}, ${connections} connections`,
        ...{ over: of(over, connections), under: of(under, connections) },
        ...(atLeast[i] && { target: { atLeast: atLeast[i] } }),
      };
    }),
  );
  const head = ['answers a second', ...connectionCounts.map((count) => `${count} connections`)];
  return { text: `${table(head, rows)}\n\n${ratios(compared)}` };
}
