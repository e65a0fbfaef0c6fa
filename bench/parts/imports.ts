import type { Bench } from '../support/bench.ts';
import { startInsertAll } from '../support/contestants.ts';
import { postFile } from '../support/curl.ts';
import { compress, type ImportFile, writeCsv, writeNdjson } from '../support/import-files.ts';
import { jobCompleted } from '../support/jobs.ts';
import { expectEcho, settle } from '../support/measure.ts';
import { megabytes } from '../support/memory.ts';
import { findMongoimport } from '../support/mongoimport.ts';
import { payloadOf, schemaOf } from '../support/payload.ts';
import { resident } from '../support/resident.ts';
import type { Section } from '../support/results.ts';
import { inRounds } from '../support/rounds.ts';
import { startSluice } from '../support/sluice.ts';
import { figure, ratios, spread, table } from '../support/table.ts';
import { startWorker } from '../support/worker.ts';

const database = 'bench_imports';
/** Documents in memory before the time begins: many, and so few that they fit into the processor's cache. */
const ready = 100_000;
const aFew = 1_000;

/** Imports a file: the time from the first byte of the request until all entries are stored. */
export async function imports(bench: Bench): Promise<Section> {
  const { say, options } = bench;
  const count = options.entries ?? 1_000_000;
  const sluice = await startSluice(bench, { database, schema: schemaOf() });
  const workers = [];
  for (let i = 0; i < 2; i++) workers.push(await startWorker(bench, { service: 'ingest-worker', database }));
  await expectEcho(sluice.uploads, bench.write('payload.json', payloadOf(1_024)));
  const ndjson = await writeNdjson(bench, count);
  say(`  ${figure(count)} lines written`);
  const linesOf = (length: number) =>
    Array.from({ length }, (_, i) => `${payloadOf(1_024, 10, i)}\n`).join('');
  const insertAll = await startInsertAll(bench, bench.write('ready.ndjson', linesOf(ready)));
  const insertFew = await startInsertAll(bench, bench.write('few.ndjson', linesOf(aFew)), 'bench_insert_few');
  const mongoimport = await findMongoimport(bench, ndjson.file, count);

  async function importFile(file: ImportFile): Promise<number> {
    const { account, domain } = sluice;
    const stored = () => bench.mongodb.db(database).collection('entries').estimatedDocumentCount();
    const before = await stored();
    const began = performance.now();
    const url = `${sluice.url}/api/applications/${domain}/imports`;
    const { id } = await postFile<{ id: string }>({ ...file, url, token: account.token });
    const sent = performance.now();
    const { accepted, rejected } = await jobCompleted(sluice, 'imports', id);
    const seconds = (performance.now() - began) / 1_000;
    say(`  taken after ${figure((sent - began) / 1_000, 1)} s, stored after ${figure(seconds, 1)} s`);
    const grown = (await stored()) - before;
    if (accepted !== count || rejected !== 0 || grown !== count)
      throw new Error(`of ${count} lines ${accepted} accepted, ${rejected} rejected, ${grown} stored`);
    await settle(bench);
    return count / seconds;
  }

  async function insert(all: typeof insertAll): Promise<number> {
    const { entries, seconds } = await all(count);
    if (entries !== count) throw new Error(`insertMany stored ${entries} of ${count}`);
    await settle(bench);
    return count / seconds;
  }

  const turns = [
    { name: 'sluice', measure: () => importFile(ndjson) },
    { name: 'insert-all', measure: () => insert(insertAll) },
    { name: 'insert-few', measure: () => insert(insertFew) },
    ...(mongoimport ? [{ name: 'mongoimport', measure: mongoimport }] : []),
  ];
  const results = await inRounds(options.rounds, turns, say, (rate) => `${figure(rate)}/s`);
  const rows = turns.map(({ name }, i) => [name, spread(results[i] ?? [])]);
  if (!mongoimport) rows.push(['mongoimport', 'not on the PATH']);
  rows.push(['sluice, gzip, once', figure(await importFile(await compress(ndjson)))]);
  rows.push(['sluice, CSV, once', figure(await importFile(await writeCsv(bench, count)))]);

  const [over = [], under = [], few = []] = results;
  const peak = (pid: number) => megabytes(resident(pid)?.peak ?? Number.NaN);
  const memory = [sluice, ...workers].map(({ pid }) => peak(pid)).join(', ');
  return {
    text: [
      `A file of ${figure(count)} lines in each round.`,
      table(['lines a second', ''], rows),
      ratios([
        { name: 'sluice / insert-all', over, under, target: { atLeast: 0.8 } },
        { name: 'sluice / insert-few', over, under: few },
      ]),
      `Most memory of the API and of the two workers, in MB: ${memory}.`,
    ].join('\n\n'),
  };
}
