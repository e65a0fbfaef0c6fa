import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { atRate } from '../hostile/at-rate.ts';
import type { Bench } from '../support/bench.ts';
import { atConstantRate } from '../support/constant-rate.ts';
import { settle } from '../support/measure.ts';
import { payloadOf, schemaOf } from '../support/payload.ts';
import type { Section } from '../support/results.ts';
import { inRounds } from '../support/rounds.ts';
import { openAccount, startApi } from '../support/sluice.ts';
import { percentile } from '../support/statistics.ts';
import { figure, spread, table } from '../support/table.ts';
import { startWorker } from '../support/worker.ts';

const database = 'bench_webhooks';
/** Uploads a second, to the application with the webhook and to the one beside it. */
const rates = { told: 50, beside: 2_000 };
const patienceMs = 30_000;

interface Delivery {
  data: { entries?: { payload: { n: number } }[] };
}

/** The time from the 201 of an upload to its delivery, alone and beside a busy application. */
export async function webhooks(bench: Bench): Promise<Section> {
  const { options, say } = bench;
  const api = await startApi(bench, { database, env: { WEBHOOK_ALLOW: '127.0.0.1' } });
  await startWorker(bench, { service: 'ingest-worker', database, env: { WEBHOOK_ALLOW: '127.0.0.1' } });
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
    const statuses = await atRate(rates.told, options.seconds, async () => upload());
    const signal = AbortSignal.timeout(patienceMs);
    const missing = () => [...answered.keys()].filter((n) => n >= first && !delivered.has(n)).length;
    while (missing() > 0) await once(receiver, 'taken', { signal });
    if (Object.keys(statuses).join() !== '201') throw new Error(`answers: ${JSON.stringify(statuses)}`);
    const reached = load ? (await load).reached : 0;
    await settle(bench);
    const times = [...answered].filter(([n]) => n >= first).map(([n, at]) => (delivered.get(n) ?? NaN) - at);
    const sorted = Float64Array.from(times).sort();
    return { reached, p50: percentile(sorted, 50), p99: percentile(sorted, 99) };
  }

  const turns = [0, rates.beside].map((rate) => ({
    name: rate === 0 ? 'alone' : `beside ${figure(rate)} uploads a second`,
    measure: () => measure(rate),
  }));
  const results = await inRounds(
    options.rounds,
    turns,
    say,
    ({ reached, p50, p99 }) =>
      `p50 ${figure(p50)} ms, p99 ${figure(p99)} ms (${figure(reached)}/s beside it)`,
  );
  receiver.closeAllConnections();
  receiver.close();
  const rows = turns.map(({ name }, i) => {
    const of = (key: 'p50' | 'p99' | 'reached') => spread((results[i] ?? []).map((result) => result[key]));
    return [name, of('p50'), of('p99'), of('reached')];
  });
  return {
    text: `${rates.told} uploads a second to an application with a webhook for \`entries.stored\`; from the 201 to the delivery, in ms:\n\n${table(['', 'p50', 'p99', 'uploads/s beside it'], rows)}`,
  };
}
