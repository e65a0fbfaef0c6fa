import { createApplications } from '../applications/create.ts';
import { type Crowd, tablesOf } from '../applications/tables.ts';
import type { Bench } from '../support/bench.ts';
import { measure, upload } from '../support/measure.ts';
import { reportSchema } from '../support/report-schema.ts';
import { reportCount, reportIn } from '../support/reports.ts';
import { resident } from '../support/resident.ts';
import type { Section } from '../support/results.ts';
import { inRounds } from '../support/rounds.ts';
import { startApi } from '../support/sluice.ts';
import { percentile } from '../support/statistics.ts';
import { figure } from '../support/table.ts';

const connections = 64;
const database = 'bench_applications';

/** Uses one application, or thousands in turn, each with its own schema or all with the same one. */
export async function applications(bench: Bench): Promise<Section> {
  const { options, say } = bench;
  const counts = options.applications;
  const variantOf = (place: number) => (options.schemas === 'same' ? 0 : place);
  const schemas = Array.from({ length: Math.max(...counts) }, (_, place) => reportSchema(variantOf(place)));
  const domains = await createApplications(bench, database, schemas);
  say(`  ${figure(domains.length)} applications created`);

  const turns = [];
  for (const count of counts) {
    // Each count has its own process, to measure its memory.
    const api = await startApi(bench, { database });
    const urls = domains.slice(0, count).map((domain) => api.uploadsOf(domain).url);
    const first = await firstUploads(urls, (place) => reportIn(variantOf(place), place));
    say(`  first uploads to ${figure(count)}: p99 ${figure(percentile(first, 99), 1)} ms`);
    // So all counts send each of the reports as often.
    const lines = Array.from({ length: count * Math.ceil(reportCount / count) }, (_, line) => line);
    const bodies = lines.map((line) => reportIn(variantOf(line % count), line));
    const paths = lines.map((line) => new URL(urls[line % count] as string).pathname);
    const load = {
      connections,
      inLines: true,
      body: bench.write(`bodies-${count}.ndjson`, bodies.join('\n')),
      paths: bench.write(`paths-${count}`, paths.join('\n')),
    };
    turns.push({
      count,
      api,
      first,
      name: `applications: ${figure(count)}`,
      measure: () => measure(bench, api.uploadsOf(domains[0] as string), load),
    });
  }
  const results = await inRounds(
    options.rounds,
    turns,
    say,
    ({ rate, cpu, p99 }) => `${figure(rate)}/s, ${figure(cpu, 1)} µs, p99 ${figure(p99, 1)} ms`,
  );
  const crowds = await Promise.all(
    turns.map(async ({ count, api, first }, i): Promise<Crowd> => {
      const peak = resident(api.pid)?.peak;
      return { count, first, peak, results: results[i] ?? [], memory: await api.memory() };
    }),
  );
  return { text: tablesOf(crowds as [Crowd, ...Crowd[]]) };
}

/** Sends one upload to each application, one after the other. Resolves with the times in ms, sorted. */
async function firstUploads(urls: string[], bodyOf: (place: number) => string): Promise<number[]> {
  const times = [];
  for (const [place, url] of urls.entries()) {
    const { status, answer, ms } = await upload(url, bodyOf(place));
    if (status !== 201) throw new Error(`POST ${url} answers ${status}: ${answer.slice(0, 300)}`);
    times.push(ms);
  }
  return times.sort((a, b) => a - b);
}
