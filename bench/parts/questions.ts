import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../../local/ports.ts';
import type { Bench } from '../support/bench.ts';
import { atConstantRate } from '../support/constant-rate.ts';
import { startFilled } from '../support/filled.ts';
import { settle } from '../support/measure.ts';
import { payloadOf, schemaOf } from '../support/payload.ts';
import { resident } from '../support/resident.ts';
import type { Section } from '../support/results.ts';
import { inRounds } from '../support/rounds.ts';
import { figure, limits, ratios, spread, table } from '../support/table.ts';
import { startWorker } from '../support/worker.ts';

const database = 'bench_questions';
const beside = { connections: 32, rate: 500 };
const questionsPerSecond = 10;

/** Questions, and what MongoDB is asked for the same. */
const asked = [
  {
    name: 'count by day',
    sql: `select date_trunc('day', "createdAt") as day, count(*) from entries group by day order by day`,
    stages: [{ $group: { _id: '$payload.at', count: { $sum: 1 } } }],
  },
  {
    name: 'top ten values',
    sql: 'select note, count(*) as n from entries group by note order by n desc limit 10',
    stages: [{ $sortByCount: '$payload.note' }, { $limit: 10 }],
  },
  {
    name: 'average by kind',
    sql: 'select kind, avg(latitude) from entries group by kind',
    stages: [{ $group: { _id: '$payload.kind', mean: { $avg: '$payload.latitude' } } }],
  },
  {
    name: 'distinct values',
    sql: 'select count(distinct "/id") from entries',
    stages: [{ $group: { _id: '$payload.id' } }, { $count: 'n' }],
  },
  {
    name: 'newest 50 of a filter',
    sql: `select "createdAt", id, payload from entries where "/id" = 'reading-000500' order by id desc limit 50`,
    stages: [{ $match: { 'payload.id': 'reading-000500' } }, { $sort: { _id: -1 as const } }, { $limit: 50 }],
  },
];

/** Asks over all entries of an application, and uploads to another application beside it. */
export async function questions(bench: Bench): Promise<Section> {
  const { options, say } = bench;
  const entries = options.entries ?? 2_000_000;
  const port = await freePort();
  const env = {
    ARCHIVE_FOLDER: join(bench.dir, 'archive'),
    QUERY_URL: `http://127.0.0.1:${port}`,
    QUERY_PORT: String(port),
    JWT_SECRET: bench.jwtSecret,
  };
  const sluice = await startFilled(bench, database, entries, { env });
  await startWorker(bench, { service: 'export-worker', database, env });
  const worker = await startWorker(bench, { service: 'query-worker', database, env });
  const { account, domain } = sluice;
  const { client, token } = account;

  const ask = async (sql: string): Promise<{ rows: unknown[][] }> =>
    client.need('POST', `/applications/${domain}/query`, { token, body: { sql } });

  /** The first question waits until all entries are in files. */
  async function prepare(): Promise<number> {
    const began = performance.now();
    for (;;) {
      try {
        const { rows } = await ask('select count(*) from entries');
        if (rows[0]?.[0] !== entries) throw new Error(`the answer is ${rows[0]?.[0]}`);
        return (performance.now() - began) / 1_000;
      } catch (error) {
        if (!/prepared/.test((error as Error).message)) throw error;
        await pause(1_000);
      }
    }
  }

  const seconds = await prepare();
  say(`  all entries can be asked after ${figure(seconds)} s`);

  const timed = (work: () => Promise<unknown>) => async () => {
    const began = performance.now();
    await work();
    return performance.now() - began;
  };
  /** It has the entries of this application alone. */
  const stored = bench.mongodb.db(database).collection('entries');
  const turns = asked.flatMap(({ name, sql, stages }) => [
    { name, measure: timed(() => ask(sql)) },
    {
      name: `${name}, by MongoDB`,
      measure: timed(() => stored.aggregate(stages, { allowDiskUse: true }).toArray()),
    },
  ]);
  const results = await inRounds(options.rounds, turns, say, (ms) => `${figure(ms)} ms`);

  const body = bench.write('payload.json', payloadOf(1_024));
  const { url } = sluice.uploadsOf(await account.create(schemaOf()));
  const paced = () => atConstantRate({ ...beside, url, body, seconds: options.seconds });
  async function besideQuestions(): Promise<number> {
    let isOver = false;
    const asking = (async () => {
      const under = new Set<Promise<unknown>>();
      for (let at = 0; !isOver; at++) {
        const one = ask(asked[at % asked.length]?.sql as string)
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

  return {
    text: [
      `An application of ${figure(entries)} entries, which can all be asked ${figure(seconds)} s after the first question.`,
      table(
        ['ms', ''],
        turns.map(({ name }, at) => [name, spread(results[at] ?? [])]),
      ),
      limits(
        asked.map(({ name }, at) => ({
          name,
          value: Math.max(...(results[2 * at] ?? [])),
          unit: 'ms',
          atMost: name.startsWith('newest') ? 300 : 500,
        })),
      ),
      limits([
        {
          name: 'most memory of the query worker itself',
          value: (resident(worker.pid)?.peak ?? Number.NaN) / 1e6,
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
    ].join('\n\n'),
  };
}
