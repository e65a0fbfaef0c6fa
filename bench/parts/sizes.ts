import type { Bench } from '../support/bench.ts';
import { startFastifyAjv } from '../support/contestants.ts';
import { expectEcho, measure } from '../support/measure.ts';
import { payloadOf, schemaOf, type Width } from '../support/payload.ts';
import type { Section } from '../support/results.ts';
import { inRounds } from '../support/rounds.ts';
import { openAccount, startApi } from '../support/sluice.ts';
import { ratioOf } from '../support/statistics.ts';
import { figure, spread, table } from '../support/table.ts';

const connections = 64;
const shapes: [bytes: number, width: Width][] = [
  [200, 10],
  [1_024, 10],
  [10_240, 10],
  [102_400, 10],
  [10_240, 300],
  [102_400, 300],
];

/** Payloads small and large, schemas narrow and wide. */
export async function sizes(bench: Bench): Promise<Section> {
  const api = await startApi(bench, { database: 'bench_sizes' });
  const { create } = await openAccount(api.url);
  const contestants = async (width: Width) => {
    const schema = bench.write(`schema-${width}.json`, JSON.stringify(schemaOf(width)));
    return [api.uploadsOf(await create(schemaOf(width))), await startFastifyAjv(bench, schema)];
  };
  const byWidth = { 10: await contestants(10), 300: await contestants(300) };

  const turns = shapes.flatMap(([bytes, width]) => {
    const body = bench.write(`payload-${width}-${bytes}.json`, payloadOf(bytes, width));
    return byWidth[width].map((uploads) => ({
      uploads,
      body,
      name: `${uploads.name}, ${figure(bytes)} B, ${width} properties`,
      measure: async () => (await measure(bench, uploads, { body, connections })).rate,
    }));
  });
  for (const { uploads, body } of turns) await expectEcho(uploads, body);
  const results = await inRounds(bench.options.rounds, turns, bench.say, (rate) => `${figure(rate)}/s`);
  const rows = shapes.map(([bytes, width], i) => {
    const [sluice = [], fastify = []] = results.slice(2 * i, 2 * i + 2);
    const ratio = figure(ratioOf(sluice, fastify).median, 2);
    return [figure(bytes), String(width), spread(sluice), spread(fastify), ratio];
  });
  return {
    text: table(['bytes', 'properties', 'sluice/s', 'fastify-ajv/s', 'sluice / fastify-ajv'], rows),
  };
}
