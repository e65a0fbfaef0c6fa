import type { Bench } from '../support/bench.ts';
import { forEach } from '../support/for-each.ts';
import { measure } from '../support/measure.ts';
import { megabytes } from '../support/memory.ts';
import { payloadOf, schemaOf } from '../support/payload.ts';
import type { Section } from '../support/results.ts';
import { inRounds } from '../support/rounds.ts';
import { openAccount, startApi } from '../support/sluice.ts';
import { ratioOf } from '../support/statistics.ts';
import { figure, spread, table } from '../support/table.ts';

const connections = 64;
const atOnce = 4;
const database = 'bench_applications';

/** Uses one application, or thousands at once, each with its own schema. */
export async function applications(bench: Bench): Promise<Section> {
  const counts = bench.options.applications;
  const payload = payloadOf(1_024);
  const body = bench.write('payload.json', payload);
  const domains = await createAll(bench, Math.max(...counts));

  const turns = [];
  for (const count of counts) {
    // Each count has its own process, to measure its memory.
    const api = await startApi(bench, { database });
    const own = domains.slice(0, count);
    const paths = bench.write(
      `paths-${count}`,
      own.map((domain) => `/api/applications/${domain}/data\n`).join(''),
    );
    const began = performance.now();
    await forEach(own, atOnce, (domain) => upload(api.uploadsOf(domain).url, payload));
    turns.push({
      ...{ api, name: `applications: ${figure(count)}`, count, firstMs: (performance.now() - began) / count },
      measure: async () =>
        (await measure(bench, api.uploadsOf(own[0] as string), { body, paths, connections })).rate,
    });
  }
  const results = await inRounds(bench.options.rounds, turns, bench.say, (rate) => `${figure(rate)}/s`);
  const rows = [];
  for (const [i, { count, api, firstMs }] of turns.entries()) {
    const rates = results[i] ?? [];
    const { rss, heapUsed } = await api.memory();
    const ratio = figure(ratioOf(rates, results[0] ?? []).median, 2);
    rows.push([figure(count), spread(rates), ratio, megabytes(rss), megabytes(heapUsed), figure(firstMs, 1)]);
  }
  const head = [
    'applications',
    'answers/s',
    `ratio to ${figure(counts[0] ?? 0)}`,
    'RSS MB',
    'heap MB',
    'first upload ms',
  ];
  return { text: table(head, rows) };
}

async function createAll(bench: Bench, count: number): Promise<string[]> {
  const api = await startApi(bench, { database });
  const { create } = await openAccount(api.url);
  const domains: string[] = [];
  const began = performance.now();
  await forEach(
    Array.from({ length: count }, (_, i) => i),
    atOnce,
    async (i) => {
      domains.push(await create({ ...schemaOf(), title: `schema ${i}` }));
      if (domains.length % 500 !== 0 && domains.length !== count) return;
      const seconds = (performance.now() - began) / 1_000;
      bench.say(`  ${figure(domains.length)} of ${figure(count)} applications after ${figure(seconds)} s`);
    },
  );
  return domains;
}

async function upload(url: string, body: string): Promise<void> {
  const response = await fetch(url, {
    ...{ method: 'POST', body, headers: { 'content-type': 'application/json' } },
  });
  const answer = await response.text();
  if (response.status !== 201)
    throw new Error(`POST ${url} answers ${response.status}: ${answer.slice(0, 300)}`);
}
