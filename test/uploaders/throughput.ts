/**
 * Compares uploaders with a plain loop of requests in the same language, and with curl. Use the machine for nothing else meanwhile.
 *
 *     node test/uploaders/throughput.ts typescript python --entries 300000 --rounds 5
 */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { readOptions } from '../../bench/options.ts';
import { type Bench, openBench } from '../../bench/support/bench.ts';
import { inRounds } from '../../bench/support/rounds.ts';
import { startSluice } from '../../bench/support/sluice.ts';
import { startMongod, startValkey } from '../../bench/support/stores.ts';
import { figure, ratios, spread, table } from '../../bench/support/table.ts';
import { createChildren } from '../../local/children.ts';
import { clientFor } from './client-for.ts';
import { type Contestant, curlOf, programOf } from './contestants.ts';
import type { Language } from './language.ts';
import { languages } from './languages/all.ts';
import { schema } from './schema.ts';

const { values, positionals } = parseArgs({
  options: { entries: { type: 'string', default: '300000' }, rounds: { type: 'string', default: '5' } },
  allowPositionals: true,
});
const linesOfBatch = 5_000;
const batches = Math.ceil(Number(values.entries) / linesOfBatch);
const entries = batches * linesOfBatch;
const text = 'x'.repeat(200);

function writeBatches(bench: Bench): string[] {
  return Array.from({ length: batches }, (_, batch) => {
    const numbers = Array.from({ length: linesOfBatch }, (_, at) => batch * linesOfBatch + at + 1);
    const lines = numbers.map((n) => `${JSON.stringify({ n, text })}\n`);
    return bench.write(`batch-${batch}.ndjson`, lines.join(''));
  });
}

/** Compares one language on a Sluice of its own. */
async function compare(bench: Bench, language: Language, files: string[]): Promise<void> {
  const database = `uploaders_${language.name}`;
  const { url, domain, uploads } = await startSluice(bench, { database, schema });
  const folder = join(bench.dir, language.name);
  await mkdir(folder);
  const send = await language.prepare(folder, await clientFor(language.name, domain, schema));
  const plain = await language.preparePlain(folder);
  const limits = [16 * 1024 ** 2, linesOfBatch, 30, '-', '-'];
  const contestants = [
    programOf('uploader', entries, (to) => [
      ...send,
      ...[url, '-', '-', 1, to, text.length, ...limits].map(String),
    ]),
    // A request for each entry takes long, so it sends fewer.
    programOf('plain', entries / 50, (to) => [...plain, ...[uploads.url, to, text.length].map(String)]),
    curlOf(`${uploads.url}/batch`, files, entries, true),
    curlOf(`${uploads.url}/batch`, files, entries, false),
  ];
  const turns = contestants.map(({ name, rate }: Contestant) => ({ name, measure: rate }));
  const rounds = Number(values.rounds);
  const results = await inRounds(rounds, turns, bench.say, (rate) => `${figure(rate)}/s`);
  const [ofUploader = [], ofPlain = [], ofCurl = [], withoutKeys = []] = results;

  // The rounds, and one before them that warms up.
  const expected = contestants.reduce((sum, { count }) => sum + count, 0) * (1 + rounds);
  const stored = await bench.mongodb.db(database).collection('entries').countDocuments();
  if (stored !== expected) throw new Error(`${stored} entries are stored, not ${expected}`);
  bench.say(`\n${language.name}: ${entries} entries of ${text.length} characters\n`);
  const rows = contestants.map(({ name }, at) => [name, spread(results[at] ?? [])]);
  bench.say(table(['', 'entries a second'], rows));
  const target = { atLeast: 0.8 };
  bench.say(
    `\n${ratios([
      { name: 'uploader / curl', over: ofUploader, under: ofCurl, target },
      { name: 'uploader / curl without keys', over: ofUploader, under: withoutKeys },
      { name: 'uploader / plain', over: ofUploader, under: ofPlain },
    ])}\n`,
  );
  await bench.endPart();
}

const dir = await mkdtemp(join(tmpdir(), 'sluice-throughput-'));
const children = createChildren(join(dir, 'run'));
process.on('exit', children.killAll);
const stores = [await startMongod(), await startValkey()] as const;
const [mongodbUrl, redisUrl] = stores.map(({ url }) => url) as [string, string];
const options = readOptions([]);
if (!options) throw new Error('no options');
const bench = await openBench({ options, dir, children, mongodbUrl, redisUrl });
try {
  const files = writeBatches(bench);
  for (const language of languages)
    if (positionals.length === 0 || positionals.includes(language.name))
      await compare(bench, language, files);
} finally {
  await bench.endPart();
  await bench.mongodb.close();
  await children.stopAll();
  for (const store of stores) await store.stop();
  await rm(dir, { recursive: true, force: true });
}
