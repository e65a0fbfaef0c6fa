import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../../local/ports.ts';
import { typicalFilters, typicalQuestions, typicalSorts } from '../questions/asked.ts';
import { whileEntriesCome } from '../questions/while-entries-come.ts';
import type { Bench } from '../support/bench.ts';
import { atConstantRate } from '../support/constant-rate.ts';
import { startFilled } from '../support/filled.ts';
import { settle } from '../support/measure.ts';
import { payloadOf, schemaOf } from '../support/payload.ts';
import { peakOfChildren } from '../support/peak-of-children.ts';
import { resident } from '../support/resident.ts';
import type { Section } from '../support/results.ts';
import { inRounds } from '../support/rounds.ts';
import { percentile } from '../support/statistics.ts';
import { setMilestones } from '../support/store.ts';
import { figure, limits, ratios, spread, table } from '../support/table.ts';
import { startWorker } from '../support/worker.ts';

const database = 'bench_questions';
const beside = { connections: 32, rate: 500 };
const questionsPerSecond = 10;
/** Some runs of questions, and merges behind them. */
const secondsOfEntries = 100;

/** Asks over all entries of an application, and uploads to another application beside it. */
export async function questions(bench: Bench): Promise<Section> {
  const { options, say } = bench;
  const entries = options.entries ?? 1_000_000;
  const asked = typicalQuestions(options.nested);
  const shape = options.nested ? 'nested' : 10;
  const port = await freePort();
  const env = {
    ARCHIVE_FOLDER: join(bench.dir, 'archive'),
    QUERY_URL: `http://127.0.0.1:${port}`,
    QUERY_PORT: String(port),
    JWT_SECRET: bench.jwtSecret,
  };
  const sluice = await startFilled(bench, database, entries, { env, shape });
  await startWorker(bench, { service: 'export-worker', database, env });
  const worker = await startWorker(bench, { service: 'query-worker', database, env });
  const { account, domain, application } = sluice;
  const { client, token } = account;
  await setMilestones(bench, database, application);

  const askOnce = (sql: string): Promise<{ rows: unknown[][] }> =>
    client.need('POST', `/applications/${domain}/query`, { token, body: { sql } });

  /** Repeats a question that has to wait for longer: the first until all entries are in files. */
  async function ask(sql: string): Promise<{ rows: unknown[][] }> {
    for (;;)
      try {
        return await askOnce(sql);
      } catch (error) {
        if (!/prepared|too many questions wait/.test((error as Error).message)) throw error;
        await pause(500);
      }
  }

  const began = performance.now();
  const { rows } = await ask('select count(*) from entries');
  if (rows[0]?.[0] !== entries) throw new Error(`the answer is ${rows[0]?.[0]}`);
  const seconds = (performance.now() - began) / 1_000;
  say(`  all entries can be asked after ${figure(seconds)} s`);

  const timed = (work: () => Promise<unknown>) => async () => {
    const began = performance.now();
    await work();
    return performance.now() - began;
  };
  /** It has the entries of this application alone. */
  const stored = bench.mongodb.db(database).collection('entries');
  const { filters, atMostMs } = typicalFilters(options.nested);
  const read = (path: string) => client.need('GET', `/applications/${domain}${path}`, { token });
  const reads = [
    ...Object.entries(filters).map(([name, filter]) => ({
      name: `first page: ${name}`,
      measure: timed(() => read(`/data?limit=100&filter=${encodeURIComponent(JSON.stringify(filter))}`)),
      atMost: atMostMs,
    })),
    ...typicalSorts(options.nested).map(({ name, query }) => ({
      name: `sorted page: ${name}`,
      measure: timed(() => read(`/data?limit=50&${query}`)),
      atMost: 1_000,
    })),
    { name: 'fields', measure: timed(() => read('/fields')), atMost: 1_000 },
    { name: 'stats by value', measure: timed(() => read('/stats?step=day&by=kind')), atMost: 500 },
  ];
  const turns = asked.flatMap(({ name, sql, stages }) => [
    { name, measure: timed(() => ask(sql)) },
    {
      name: `${name}, by MongoDB`,
      measure: timed(() => stored.aggregate(stages, { allowDiskUse: true }).toArray()),
    },
  ]);
  const endOfPeak = peakOfChildren(worker.pid);
  const results = await inRounds(options.rounds, [...turns, ...reads], say, (ms) => `${figure(ms)} ms`);
  const peakOfQuestion = endOfPeak();

  const body = bench.write('payload.json', payloadOf(1_024));
  const { url } = sluice.uploadsOf(await account.create(schemaOf()));
  const paced = () => atConstantRate({ ...beside, url, body, seconds: options.seconds });
  async function besideQuestions(): Promise<number> {
    let isOver = false;
    const asking = (async () => {
      const under = new Set<Promise<unknown>>();
      for (let at = 0; !isOver; at++) {
        const one = askOnce(asked[at % asked.length]?.sql as string)
          .catch(() => undefined)
          .finally(() => under.delete(one));
        under.add(one);
        await pause(1_000 / questionsPerSecond);
      }
      await Promise.all(under);
    })();
    const { p99 } = await paced();
    isOver = true;
    await asking;
    await settle(bench);
    return p99;
  }
  const times = await inRounds(
    options.rounds,
    [
      {
        name: 'alone',
        async measure() {
          const { p99 } = await paced();
          await settle(bench);
          return p99;
        },
      },
      { name: `beside ${questionsPerSecond} questions a second`, measure: besideQuestions },
    ],
    say,
    (p99) => `p99 ${figure(p99, 1)} ms`,
  );

  const waits = await whileEntriesCome({ url: sluice.uploads.url, shape, seconds: secondsOfEntries }, () =>
    ask(asked[0]?.sql as string),
  );

  return {
    title: `questions: ${figure(entries)}${options.nested ? ' nested' : ''} entries`,
    text: [
      `An application of ${figure(entries)} entries, which can all be asked ${figure(seconds)} s after the first question.`,
      table(
        ['ms', ''],
        [...turns, ...reads].map(({ name }, at) => [name, spread(results[at] ?? [])]),
      ),
      limits([
        ...asked.map(({ name, atMostMs }, at) => ({
          name,
          value: Math.max(...(results[2 * at] ?? [])),
          unit: 'ms',
          atMost: atMostMs,
        })),
        ...reads.map(({ name, atMost }, at) => ({
          name,
          value: Math.max(...(results[turns.length + at] ?? [])),
          unit: 'ms',
          atMost,
        })),
      ]),
      limits([
        {
          name: 'most memory of the query worker itself',
          value: (resident(worker.pid)?.peak ?? Number.NaN) / 1e6,
          unit: 'MB',
          atMost: 600,
        },
        {
          name: 'most memory of a process of a question',
          value: peakOfQuestion && peakOfQuestion / 1e6,
          unit: 'MB',
          atMost: 600,
        },
      ]),
      ratios([
        {
          name: `p99 of ${beside.rate} uploads a second beside ${questionsPerSecond} questions a second / alone`,
          over: times[1] ?? [],
          under: times[0] ?? [],
          target: { atMost: 1.3 },
        },
      ]),
      `While 1,000 entries a second come for ${secondsOfEntries} s, a question each second takes ${figure(percentile(waits, 50))} ms in the median, and ${figure(percentile(waits, 100))} ms at most.`,
    ].join('\n\n'),
  };
}
