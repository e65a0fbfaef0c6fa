import type { Bench } from '../support/bench.ts';
import { startFastifyAjv, startFastifyBytes, startInsertOne, startNodeHttp } from '../support/contestants.ts';
import { expectEcho, measure } from '../support/measure.ts';
import { payloadOf, schemaOf } from '../support/payload.ts';
import type { Section } from '../support/results.ts';
import { inRounds } from '../support/rounds.ts';
import { startSluice } from '../support/sluice.ts';
import { figure, type Ratio, ratios, spread, table } from '../support/table.ts';

const connectionCounts = [64, 256];
/** Targets for answers per second. */
const rateTargets = {
  'sluice / fastify-ajv': [],
  'sluice / insert-one': [{ atLeast: 5 }, { atLeast: 8 }],
  'sluice / node-http': [],
  'sluice / fastify-bytes': [],
  'sluice / sluice-before': [],
};
/** Targets for the server's processor time per answer. */
const cpuTargets = {
  'sluice / fastify-ajv': [{ atMost: 1.6 }, { atMost: 1.6 }],
  'sluice / fastify-bytes': [],
  'sluice / sluice-before': [],
};

/** Uploads of 1 KB, one in a request. */
export async function singles(bench: Bench): Promise<Section> {
  const schema = bench.write('schema.json', JSON.stringify(schemaOf()));
  const body = bench.write('payload.json', payloadOf(1_024));
  const { rounds, before } = bench.options;
  const sluice = (database: string, checkout?: string) =>
    startSluice(bench, { database, schema: schemaOf(), ...(checkout && { checkout }) });
  const contestants = [
    await startNodeHttp(bench),
    await startFastifyAjv(bench, schema),
    await startFastifyBytes(bench, schema),
    (await sluice('bench_singles')).uploads,
    ...(before ? [(await sluice('bench_singles_before', before)).uploads] : []),
    await startInsertOne(bench, schema),
  ];
  for (const uploads of contestants) await expectEcho(uploads, body);

  const turns = connectionCounts.flatMap((connections) =>
    contestants.map((uploads) => ({
      ...{ uploads, connections, name: `${uploads.name}, ${connections} connections` },
      measure: () => measure(bench, uploads, { body, connections }),
    })),
  );
  const results = await inRounds(
    rounds,
    turns,
    bench.say,
    ({ rate, cpu }) => `${figure(rate)}/s, ${figure(cpu, 1)} µs`,
  );

  function section(key: 'rate' | 'cpu', head: string, targets: Record<string, Ratio['target'][]>): string {
    const of = (name: string | undefined, connections: number) => {
      const place = turns.findIndex((turn) => turn.name === `${name}, ${connections} connections`);
      return (results[place] ?? []).map((result) => result[key]);
    };
    const digits = key === 'cpu' ? 1 : 0;
    const rows = contestants.map(({ name }) => [
      name,
      ...connectionCounts.map((count) => spread(of(name, count), digits)),
    ]);
    const compared = Object.entries(targets).flatMap(([name, wanted]) =>
      connectionCounts.map((connections, i): Ratio => {
        const [over, under] = name.split(' / ');
        const target = wanted[i];
        return {
          name: `${name}, ${connections} connections`,
          ...{ over: of(over, connections), under: of(under, connections) },
          ...(target && { target }),
        };
      }),
    );
    const columns = [head, ...connectionCounts.map((count) => `${count} connections`)];
    return `${table(columns, rows)}\n\n${ratios(compared.filter(({ under }) => under.length > 0))}`;
  }

  return {
    text: [
      section('rate', 'answers a second', rateTargets),
      section('cpu', 'µs of processor time an answer', cpuTargets),
    ].join('\n\n'),
  };
}
