import { autocannonName } from '../support/autocannon.ts';
import type { Bench } from '../support/bench.ts';
import { atConstantRate } from '../support/constant-rate.ts';
import { startInsertOne } from '../support/contestants.ts';
import { expectEcho, measure, settle } from '../support/measure.ts';
import { payloadOf, schemaOf } from '../support/payload.ts';
import type { Section } from '../support/results.ts';
import { inRounds } from '../support/rounds.ts';
import { startSluice } from '../support/sluice.ts';
import { summarize } from '../support/statistics.ts';
import { figure, ratios, spread, table } from '../support/table.ts';

const connections = 64;
const levels = [0.25, 0.5, 0.9];

/** The latency of uploads at rates below the peak, and with a single client. */
export async function latency(bench: Bench): Promise<Section> {
  const { options, say } = bench;
  const schema = bench.write('schema.json', JSON.stringify(schemaOf()));
  const body = bench.write('payload.json', payloadOf(1_024));
  const { uploads } = await startSluice(bench, { database: 'bench_latency', schema: schemaOf() });
  const insertOne = await startInsertOne(bench, schema);
  for (const contestant of [uploads, insertOne]) await expectEcho(contestant, body);

  const peaks = await inRounds(
    options.rounds,
    [{ name: 'peak', measure: async () => (await measure(bench, uploads, { body, connections })).rate }],
    say,
    (rate) => `${figure(rate)}/s`,
  );
  const peak = summarize(peaks[0] ?? []).median;

  const paced = await inRounds(
    options.rounds,
    levels.map((level) => ({
      name: `${level * 100} % of the peak`,
      async measure() {
        const pace = { url: uploads.url, body, connections, rate: level * peak };
        await atConstantRate({ ...pace, seconds: options.warmUpSeconds });
        const result = await atConstantRate({ ...pace, seconds: options.seconds });
        await settle(bench);
        const { statuses, broken } = result;
        if (broken > 0 || Object.keys(statuses).some((status) => status !== '201'))
          throw new Error(`answers by status: ${JSON.stringify(statuses)}; ${broken} connections failed`);
        return result;
      },
    })),
    say,
    ({ reached, asked, p50, p99 }) =>
      `${figure(reached)}/s of ${figure(asked)}/s, p50 ${figure(p50, 2)} ms, p99 ${figure(p99, 2)} ms`,
  );
  const rows = levels.map((level, i) => {
    const of = (key: 'reached' | 'p50' | 'p99' | 'p999') => (paced[i] ?? []).map((result) => result[key]);
    const asked = figure(summarize((paced[i] ?? []).map((result) => result.asked)).median);
    const times = [spread(of('p50'), 2), spread(of('p99'), 2), spread(of('p999'), 2)];
    return [`${level * 100} %`, asked, spread(of('reached')), ...times];
  });

  const alone = await inRounds(
    options.rounds,
    [uploads, insertOne].map((contestant) => ({
      name: `${contestant.name}, one connection`,
      measure: () => measure(bench, contestant, { body, connections: 1 }),
    })),
    say,
    ({ p50 }) => `p50 ${figure(p50, 2)} ms`,
  );
  const [over = [], under = []] = alone.map((results) => results.map(({ p50 }) => p50));
  const target = { atMost: 1.3 };
  return {
    text: [
      `Peak at ${connections} connections: ${spread(peaks[0] ?? [])} answers a second. At a constant rate below it, by ${autocannonName}, in ms:`,
      table(['of the peak', 'asked/s', 'reached/s', 'p50', 'p99', 'p99.9'], rows),
      'One connection, one request at a time:',
      table(
        ['p50 in ms', ''],
        [
          ['sluice', spread(over, 2)],
          ['insert-one', spread(under, 2)],
        ],
      ),
      ratios([{ name: 'sluice / insert-one, p50', over, under, target }]),
    ].join('\n\n'),
  };
}
