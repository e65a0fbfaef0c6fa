import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { atRate } from '../hostile/at-rate.ts';
import type { Bench } from '../support/bench.ts';
import { atConstantRate } from '../support/constant-rate.ts';
import { settle } from '../support/measure.ts';
import { payloadOf, schemaOf } from '../support/payload.ts';
import { processorSeconds } from '../support/resident.ts';
import type { Section } from '../support/results.ts';
import { inRounds } from '../support/rounds.ts';
import { openAccount, startApi } from '../support/sluice.ts';
import { percentile } from '../support/statistics.ts';
import { figure, ratios, spread, table } from '../support/table.ts';
import { startWorker } from '../support/worker.ts';
import { createHarms } from '../webhooks/harms.ts';

const database = 'bench_webhooks';
/** Uploads a second, to the application with the webhook and to the one beside it. */
const rates = { told: 50, beside: 2_000 };
const patienceMs = 120_000;
const target = { atMost: 2 };
/** Until a harm shows, and webhooks that were set active are idle again. */
const harmMs = 15_000;
/** Until the last request of a harm is over. */
const calmMs = 11_000;

interface Delivery {
  data: { entries?: { payload: { n: number } }[] };
}

/** The time from the 201 of an upload to its delivery: alone, beside a busy application, and beside webhooks of another owner. */
export async function webhooks(bench: Bench): Promise<Section> {
  const { options, say } = bench;
  const api = await startApi(bench, { database, env: { OUTBOUND_ALLOW: '127.0.0.1' } });
  const worker = await startWorker(bench, {
    service: 'ingest-worker',
    database,
    env: { OUTBOUND_ALLOW: '127.0.0.1' },
  });
  const { pid: mongod } = await bench.mongodb.db('admin').command({ serverStatus: 1 });
  const { create, client, token } = await openAccount(api.url);
  const number = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
  const told = api.uploadsOf(await create(number));
  const beside = {
    ...api.uploadsOf(await create(schemaOf())),
    body: bench.write('payload.json', payloadOf(1_024)),
  };

  /** Milliseconds, by the number of the entry. */
  const answered = new Map<number, number>();
  const delivered = new Map<number, number>();
  const receiver = createServer(async (request, response) => {
    const { data } = (await json(request)) as Delivery;
    for (const { payload } of data.entries ?? [])
      if (!delivered.has(payload.n)) delivered.set(payload.n, performance.now());
    response.end();
    receiver.emit('taken');
  }).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
  const path = new URL(told.url).pathname.replace(/^\/api|\/data$/g, '');
  await client.need('POST', `${path}/webhooks`, { token, body: { url, events: ['entries.stored'] } });

  let sent = 0;
  async function upload(): Promise<number> {
    const n = sent++;
    const headers = { 'content-type': 'application/json' };
    const { status } = await fetch(told.url, { method: 'POST', headers, body: JSON.stringify({ n }) });
    if (status === 201) answered.set(n, performance.now());
    return status;
  }

  async function measure(rate: number) {
    const first = sent;
    const load =
      rate > 0 && atConstantRate({ ...beside, connections: 64, rate, seconds: options.seconds + 1 });
    const [workerBefore, mongodBefore] = [worker.pid, mongod].map(processorSeconds) as [number, number];
    const began = performance.now();
    const statuses = await atRate(rates.told, options.seconds, async () => upload());
    const seconds = (performance.now() - began) / 1_000;
    const share = (pid: number, before: number) => (100 * (processorSeconds(pid) - before)) / seconds;
    const shares = { worker: share(worker.pid, workerBefore), mongod: share(mongod, mongodBefore) };
    const signal = AbortSignal.timeout(patienceMs);
    const missing = () => [...answered.keys()].filter((n) => n >= first && !delivered.has(n)).length;
    while (missing() > 0) await once(receiver, 'taken', { signal });
    if (Object.keys(statuses).join() !== '201') throw new Error(`answers: ${JSON.stringify(statuses)}`);
    const reached = load ? (await load).reached : 0;
    await settle(bench);
    const times = [...answered].filter(([n]) => n >= first).map(([n, at]) => (delivered.get(n) ?? NaN) - at);
    const sorted = Float64Array.from(times).sort();
    return { reached, p50: percentile(sorted, 50), p99: percentile(sorted, 99), ...shares };
  }

  const { harms, stop } = await createHarms(await openAccount(api.url));
  const turns = [
    { name: 'alone', measure: () => measure(0) },
    { name: `beside ${figure(rates.beside)} uploads a second`, measure: () => measure(rates.beside) },
    ...harms.map(({ name, isSudden, begin, end }) => ({
      name: `beside ${name}`,
      async measure() {
        const beginning = begin();
        if (!isSudden) await beginning.then(() => pause(harmMs));
        const measured = await measure(0);
        await beginning;
        await end();
        await pause(calmMs);
        return measured;
      },
    })),
  ];
  const results = await inRounds(
    options.rounds,
    turns,
    say,
    ({ reached, p50, p99, worker, mongod }) =>
      `p50 ${figure(p50)} ms, p99 ${figure(p99)} ms, worker ${figure(worker)} %, mongod ${figure(mongod)} % (${figure(reached)}/s beside it)`,
  );
  stop();
  receiver.closeAllConnections();
  receiver.close();
  const of = (at: number, key: keyof (typeof results)[number][number]) =>
    (results[at] ?? []).map((result) => result[key]);
  const rows = turns.map(({ name }, at) => [
    name,
    ...(['p50', 'p99', 'worker', 'mongod', 'reached'] as const).map((key) => spread(of(at, key))),
  ]);
  const compared = turns.slice(1).map(({ name }, at) => ({
    name: `p99 ${name} / alone`,
    over: of(at + 1, 'p99'),
    under: of(0, 'p99'),
    target,
  }));
  return {
    text: [
      `${rates.told} uploads a second to an application with a webhook for \`entries.stored\`; from the 201 to the delivery, in ms, and the processor time of the ingest worker and MongoDB, in % of a core:`,
      table(['', 'p50', 'p99', 'worker', 'mongod', 'uploads/s beside it'], rows),
      ratios(compared),
    ].join('\n\n'),
  };
}
