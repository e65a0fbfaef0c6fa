import type { EntryPage } from '@sluice/api/entries/contract.ts';
import { askInTime, type Question } from '../support/ask-in-time.ts';
import type { Bench } from '../support/bench.ts';
import { startFilled } from '../support/filled.ts';
import { settle } from '../support/measure.ts';
import { pagesOf } from '../support/pages.ts';
import type { Section } from '../support/results.ts';
import { inRounds } from '../support/rounds.ts';
import { percentile } from '../support/statistics.ts';
import { setMilestones } from '../support/store.ts';
import { figure, ratios, spread, table } from '../support/table.ts';

const database = 'bench_listing';
const perTurn = 100;

/** Lists an application with millions of entries: the first page, pages far behind it, and a filtered page. */
export async function listing(bench: Bench): Promise<Section> {
  const { say, options } = bench;
  const entries = options.entries ?? 10_000_000;
  const sluice = await startFilled(bench, database, entries);
  const milestones = await setMilestones(bench, database, sluice.application);
  await settle(bench);
  say(`  ${figure(milestones)} milestones set`);

  const pages = await pagesOf(sluice, entries);
  const total = await expectTotal(bench, pages['first page']?.[0] as Question);
  const turns = Object.entries(pages).map(([name, questions]) => ({
    name,
    async measure() {
      const times: number[] = [];
      for (let i = 0; i < perTurn; i++)
        times.push((await askInTime(questions[i % questions.length] as Question)).ms);
      return Float64Array.from(times).sort();
    },
  }));
  const results = await inRounds(
    options.rounds,
    turns,
    say,
    (times) => `median ${figure(percentile(times, 50), 2)} ms, p95 ${figure(percentile(times, 95), 2)} ms`,
  );

  const of = (i: number, percent: number) => (results[i] ?? []).map((times) => percentile(times, percent));
  const rows = turns.map(({ name }, i) => [name, spread(of(i, 50), 2), spread(of(i, 95), 2)]);
  const [first, deep, cursor] = [of(0, 50), of(1, 50), of(2, 50)];
  return {
    text: [
      `An application of ${figure(entries)} entries; ${perTurn} requests in each round, one at a time, for 100 entries each, in ms:`,
      table(['', 'median', 'p95'], rows),
      ratios([
        { name: 'page at 99 % / first page', over: deep, under: first, target: { atMost: 1.3 } },
        { name: 'page after a cursor / first page', over: cursor, under: first, target: { atMost: 1.2 } },
      ]),
      `\`total\` is ${figure(total.stored)}, as MongoDB counts in ${figure(total.seconds, 1)} s.`,
    ].join('\n\n'),
  };
}

/** Compares the API's answer with the stored entries. */
async function expectTotal(bench: Bench, question: Question) {
  const began = performance.now();
  const stored = await bench.mongodb.db(database).collection('entries').countDocuments();
  const seconds = (performance.now() - began) / 1_000;
  const { pagination }: EntryPage = JSON.parse((await askInTime(question)).body).data;
  if (pagination.total !== stored) throw new Error(`total is ${pagination.total} of ${stored} entries`);
  return { stored, seconds };
}
