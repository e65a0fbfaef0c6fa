import type { Bench } from '../support/bench.ts';
import { type Reader, startReader, type Whole } from '../support/contestants.ts';
import { createExporting, type Exported, formats } from '../support/exporting.ts';
import { startFilled } from '../support/filled.ts';
import { settle } from '../support/measure.ts';
import { megabytes } from '../support/memory.ts';
import { findMongoexport } from '../support/mongoexport.ts';
import { resident } from '../support/resident.ts';
import type { Section } from '../support/results.ts';
import { inRounds } from '../support/rounds.ts';
import { summarize } from '../support/statistics.ts';
import { figure, limits, ratios, spread, table } from '../support/table.ts';
import { startWorker } from '../support/worker.ts';

const database = 'bench_exports';
const readers: Reader[] = ['raw cursor', 'csv-stringify'];

/** Exports all entries of an application as a file. */
export async function exports(bench: Bench): Promise<Section> {
  const entries = bench.options.entries ?? 1_000_000;
  const sluice = await startFilled(bench, database, entries);
  const worker = await startWorker(bench, { service: 'export-worker', database });
  const exporting = createExporting(bench, { sluice, worker, entries });
  const idle = resident(sluice.pid)?.now;
  for (const format of ['csv', 'ndjson'] as const) await exporting.expectLines(format);

  const turns: { name: string; measure: () => Promise<Whole | Exported> }[] = [];
  const add = (name: string, read: () => Promise<Whole | Exported>) =>
    turns.push({
      name,
      async measure() {
        const result = await read();
        if (result.entries !== entries) throw new Error(`${name} read ${result.entries} entries`);
        await settle(bench);
        return result;
      },
    });
  for (const name of readers) add(name, await startReader(bench, name, { ...sluice, database }));
  for (const format of formats) add(`sluice ${format}`, () => exporting.measure(format));
  const mongoexport = await findMongoexport(bench, database, entries);
  if (mongoexport) add('mongoexport', mongoexport);

  const results = await inRounds(bench.options.rounds, turns, bench.say, (result) => {
    const rate = `${figure(result.entries / result.seconds)}/s, ${figure(cpuOf(result), 1)} µs`;
    if (!('worker' in result)) return rate;
    const memory = `worker ${megabytes(result.worker ?? Number.NaN)} MB`;
    return `${rate}, first byte after ${figure(result.firstByteMs)} ms, ${memory}`;
  });
  const text = report(new Map(turns.map(({ name }, i) => [name, results[i] ?? []])), idle);
  return { text: `An application of ${figure(entries)} entries, all of them in each round.\n\n${text}` };
}

/** Microseconds of processor time an entry. */
const cpuOf = ({ cpu = Number.NaN, entries }: Whole) => (1e6 * cpu) / entries;

function report(results: Map<string, (Whole | Exported)[]>, idle: number | undefined): string {
  const rates = (name: string) => (results.get(name) ?? []).map(({ entries, seconds }) => entries / seconds);
  const exported = (name: string) => (results.get(name) ?? []).filter((result) => 'worker' in result);
  const all = [...results.keys()].flatMap(exported);
  const most = (of: Exported[], process: 'worker' | 'api') => {
    const known = of.map((result) => result[process]).filter((bytes) => bytes !== undefined);
    return known.length > 0 ? Math.max(...known) : undefined;
  };

  const rows = [...results.keys()].map((name) => {
    const own = exported(name);
    const measured = (results.get(name) ?? []).filter(({ cpu }) => cpu !== undefined);
    const cpu = measured.length > 0 ? spread(measured.map(cpuOf), 1) : '';
    if (own.length === 0) return [name, spread(rates(name)), cpu];
    const memory = (['worker', 'api'] as const).map((process) => megabytes(most(own, process) ?? Number.NaN));
    return [name, spread(rates(name)), cpu, spread(own.map(({ firstByteMs }) => firstByteMs)), ...memory];
  });
  if (!results.has('mongoexport')) rows.push(['mongoexport', 'not on the PATH']);

  const ratio = (over: string, under: string, atLeast?: number) => ({
    name: `${over} / ${under}`,
    over: rates(over),
    under: rates(under),
    ...(atLeast && { target: { atLeast } }),
  });
  const firstByte = summarize(exported('sluice csv').map(({ firstByteMs }) => firstByteMs)).median;
  const [worker, api] = [most(all, 'worker'), most(all, 'api')];
  const growth = api !== undefined && idle !== undefined ? (api - idle) / 1e6 : undefined;
  return [
    table(
      ['entries a second', '', 'µs of processor time', 'first byte ms', 'worker, most MB', 'API, most MB'],
      rows,
    ),
    ratios([
      ratio('sluice csv', 'csv-stringify', 1.5),
      ...(results.has('mongoexport') ? [ratio('sluice csv', 'mongoexport', 1)] : []),
      ratio('sluice csv', 'raw cursor'),
      ratio('sluice ndjson', 'raw cursor', 0.5),
      ratio('sluice parquet', 'sluice csv', 0.65),
    ]),
    limits([
      { name: 'first byte of CSV', value: firstByte, unit: 'ms', atMost: 300 },
      { name: 'most memory of the worker', value: worker && worker / 1e6, unit: 'MB', atMost: 250 },
      { name: 'growth of the API, from idle to its most', value: growth, unit: 'MB', atMost: 50 },
    ]),
  ].join('\n\n');
}
