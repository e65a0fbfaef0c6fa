import { readFileSync } from 'node:fs';
import type { Bench } from '../support/bench.ts';
import { startInsertMany, type Uploads } from '../support/contestants.ts';
import { measure, settle } from '../support/measure.ts';
import { findMongoimport } from '../support/mongoimport.ts';
import { payloadOf, schemaOf } from '../support/payload.ts';
import type { Section } from '../support/results.ts';
import { inRounds } from '../support/rounds.ts';
import { startSluice } from '../support/sluice.ts';
import { figure, ratios, spread, table } from '../support/table.ts';

const linesPerBatch = 1_000;
const copies = 50;
const connections = 2;
const contentType = 'application/x-ndjson';

/** Batches of 1,000 entries of 1 KB from two clients. */
export async function batches(bench: Bench): Promise<Section> {
  const { options } = bench;
  const lines = Array.from({ length: linesPerBatch }, (_, i) => payloadOf(1_024, 10, i));
  const body = bench.write('batch.ndjson', `${lines.join('\n')}\n`);
  const start = async (database: string, checkout?: string): Promise<Uploads> => {
    const sluice = await startSluice(bench, { database, schema: schemaOf(), ...(checkout && { checkout }) });
    const uploads = { ...sluice.uploads, url: `${sluice.uploads.url}/batch` };
    await expectAccepted(uploads, body);
    return uploads;
  };
  const sluices = [await start('bench_batches')];
  if (options.before) sluices.push(await start('bench_batches_before', options.before));
  const insertMany = await startInsertMany(bench, body);
  const file = bench.write('import.ndjson', `${lines.join('\n')}\n`.repeat(copies));
  const mongoimport = await findMongoimport(bench, file, copies * linesPerBatch);

  const turns = [
    ...sluices.map((uploads) => ({
      name: uploads.name,
      measure: async () =>
        (await measure(bench, uploads, { body, contentType, connections, entries: linesPerBatch })).rate *
        linesPerBatch,
    })),
    {
      name: 'insert-many',
      async measure() {
        await insertMany(options.warmUpSeconds);
        const rate = await insertMany(options.seconds);
        await settle(bench);
        return rate;
      },
    },
    ...(mongoimport ? [{ name: 'mongoimport', measure: mongoimport }] : []),
  ];
  const results = await inRounds(options.rounds, turns, bench.say, (rate) => `${figure(rate)}/s`);
  const rows = turns.map(({ name }, i) => [name, spread(results[i] ?? [])]);
  if (!mongoimport) rows.push(['mongoimport', 'not on the PATH']);
  const of = (name: string) => results[turns.findIndex((turn) => turn.name === name)] ?? [];
  const ratio = ratios(
    sluices.map(({ name }) => ({
      name: `${name} / insert-many`,
      over: of(name),
      under: of('insert-many'),
      target: { atLeast: 0.9 },
    })),
  );
  return { text: `${table(['entries a second', ''], rows)}\n\n${ratio}` };
}

async function expectAccepted({ url }: Uploads, body: string): Promise<void> {
  const response = await fetch(url, {
    method: 'POST',
    body: readFileSync(body),
    headers: { 'content-type': contentType },
  });
  const answer = await response.text();
  if (response.status !== 201 || JSON.parse(answer).data?.accepted !== linesPerBatch)
    throw new Error(`POST ${new URL(url).pathname} answers ${response.status}: ${answer.slice(0, 300)}`);
}
