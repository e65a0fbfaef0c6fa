import type { Bench } from '../support/bench.ts';
import { fillEntries } from '../support/fill-entries.ts';
import { expectEcho, measure, settle } from '../support/measure.ts';
import { payloadOf, schemaOf } from '../support/payload.ts';
import type { Section } from '../support/results.ts';
import { inRounds } from '../support/rounds.ts';
import { startSluice } from '../support/sluice.ts';
import { figure, ratios, spread, table } from '../support/table.ts';

const connections = 64;

/** Uploads to an empty application, and to one with millions of entries. */
export async function stored(bench: Bench): Promise<Section> {
  const entries = bench.options.entries ?? 10_000_000;
  const body = bench.write('payload.json', payloadOf(1_024));
  const empty = await startSluice(bench, { database: 'bench_empty', schema: schemaOf() });
  const full = await startSluice(bench, { database: 'bench_full', schema: schemaOf() });
  for (const { uploads } of [empty, full]) await expectEcho(uploads, body);
  await fillEntries(bench, full.database, full.domain, entries);
  await settle(bench);

  const sides = [
    { ...empty, name: 'into an empty application' },
    { ...full, name: `into ${figure(entries)} entries` },
  ];
  const results = await inRounds(
    bench.options.rounds,
    sides.map(({ name, uploads }) => ({
      name,
      measure: async () => (await measure(bench, uploads, { body, connections })).rate,
    })),
    bench.say,
    (rate) => `${figure(rate)}/s`,
  );
  const rows = [];
  for (const [i, { name, database }] of sides.entries()) {
    const count = await bench.mongodb.db(database).collection('entries').estimatedDocumentCount();
    rows.push([name, spread(results[i] ?? []), figure(count)]);
  }
  const [under = [], over = []] = results;
  const compared = ratios([{ name: 'full / empty', over, under }]);
  return { text: `${table(['', 'answers/s', 'entries after it'], rows)}\n\n${compared}` };
}
