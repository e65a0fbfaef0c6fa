import type { ServerResponse } from 'node:http';
import { expect, it, onTestFinished } from 'vitest';
import { createRandom } from '../support/mongos/faults.ts';
import { createReceiver, type Received } from '../support/receiver.ts';
import { isLong } from '../support/runs.ts';
import { type Answer, startSluice, until } from '../support/sluice.ts';

const steps = Number(process.env.STEPS ?? (isLong ? 1_000 : 400));
const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 1e9));
/** How old the times of wrapped imports are at most, and how far a redelivery goes back. */
const backMs = 3_000;
/** Fewer than the 100 unfinished imports that an owner may have. */
const mostJobs = 40;

const numbersOf = ({ event }: Received): number[] =>
  event.data.entries.map(({ payload }: { payload: { n: number } }) => payload.n);

it(
  `webhooks tell each acknowledged entry, whatever is imported, deleted, replayed, paused and redelivered (seed ${seed})`,
  async () => {
    const random = createRandom(seed);
    const below = (count: number) => Math.floor(random() * count);
    const sluice = await startSluice({
      env: { OUTBOUND_ALLOW: '127.0.0.1', JOB_QUOTA: '100000', IMPORT_QUOTA: '100000' },
    });
    onTestFinished(sluice.stop);
    const { token } = await sluice.owner();
    const schema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
    const path = `/applications/${await sluice.application(token, schema)}`;
    const send = (method: string, where: string, json?: unknown) =>
      sluice.request(method, `${path}${where}`, { token, ...(json !== undefined && { json }) });
    const sendLines = (where: string, lines: unknown[]) =>
      sluice.request('POST', `${path}${where}`, {
        token,
        body: lines.map((line) => `${JSON.stringify(line)}\n`).join(''),
        headers: { 'content-type': 'application/x-ndjson' },
      });

    let last = -1;
    /** What each webhook must tell; uploads and batches also in this order. */
    const [owed, inOrder] = [new Set<number>(), new Set<number>()];
    const fresh = (count: number) => Array.from({ length: count }, () => ++last);
    const owe = (numbers: number[]) => {
      for (const n of numbers) owed.add(n);
      return numbers.map((n) => ({ n }));
    };
    /** A webhook may tell what was deleted since, or not. */
    const forgive = (n: number) => [owed, inOrder].map((each) => each.delete(n));

    const took: number[][] = [];
    const rough = (taken: number[]) => (response: ServerResponse, received: Received) => {
      const chance = random();
      if (chance < 0.15) return void response.writeHead(500).end();
      if (chance < 0.2) return void response.destroy();
      if (chance < 0.23) return void response.writeHead(410).end();
      taken.push(...numbersOf(received));
      // Taken, but the sender does not know.
      if (chance < 0.28) return void response.destroy();
      response.end();
    };
    const receivers = await Promise.all([0, 1, 2].map(() => createReceiver()));
    const webhooks: string[] = [];
    for (const receiver of receivers) {
      const taken: number[] = [];
      took.push(taken);
      receiver.answer(rough(taken));
      const { body } = await send('POST', '/webhooks', { url: receiver.url, events: ['entries.stored'] });
      webhooks.push(`/webhooks/${body.data.id}`);
    }
    const anyWebhook = () => webhooks[below(webhooks.length)] as string;
    const set = async (webhook: string, state: 'active' | 'paused') =>
      expect((await send('PATCH', webhook, { state })).status).toBe(200);

    const jobs: string[] = [];
    async function untilEnded(): Promise<void> {
      for (const job of jobs.splice(0))
        await until(async () => {
          const { state } = (await send('GET', job)).body.data;
          expect(['waiting', 'active', 'completed']).toContain(state);
          return state === 'completed';
        });
    }
    async function started(kind: string, { status, text, body }: Answer): Promise<void> {
      expect({ status, text }).toMatchObject({ status: 202 });
      jobs.push(`/${kind}/${body.data.id}`);
      if (jobs.length >= mostJobs) await untilEnded();
    }

    const aWhileAgo = () => new Date(Date.now() - below(backMs)).toISOString();
    async function upload(count: number): Promise<void> {
      const numbers = fresh(count);
      for (const n of numbers) inOrder.add(n);
      expect((await sendLines('/data/batch', owe(numbers))).status).toBe(201);
    }
    const actions: Record<string, [weight: number, act: () => Promise<unknown>]> = {
      upload: [50, () => upload(1 + below(20))],
      uploadMany: [2, () => upload(600 + below(600))],
      importNew: [3, async () => started('imports', await sendLines('/imports', owe(fresh(1 + below(400)))))],
      importOld: [
        6,
        async () => {
          const lines = fresh(1 + below(400)).map((n) => ({ createdAt: aWhileAgo(), payload: { n } }));
          await started('imports', await sendLines('/imports?entries=wrapped', lines));
        },
      ],
      remove: [
        4,
        async () => {
          const n = below(last + 1);
          forgive(n);
          const { body } = await send('GET', `/data?limit=1&filter=${encodeURIComponent(`{"n":${n}}`)}`);
          const [found] = body.data.result;
          if (found) expect([200, 404]).toContain((await send('DELETE', `/data/${found.id}`)).status);
        },
      ],
      removeMany: [
        2,
        async () => {
          const [from, count] = [below(last + 1), below(200)];
          for (let n = from; n < from + count; n++) forgive(n);
          const filter = { n: { gte: from, lt: from + count } };
          await started('deletions', await send('POST', '/deletions', { filter }));
        },
      ],
      replay: [
        3,
        async () => {
          const [n] = fresh(1) as [number];
          expect((await send('POST', '/data', { m: n })).status).toBe(422);
          const isKept = async () => (await send('GET', '/refused?limit=1')).body.data.pagination.total > 0;
          await until(isKept);
          owe([n]);
          const patch = [{ op: 'move', from: '/m', path: '/n' }];
          await started('replays', await send('POST', '/replays', { path: '', patch }));
          await until(async () => !(await isKept()));
        },
      ],
      pause: [8, () => set(anyWebhook(), 'paused')],
      // Also what a 410 disabled.
      activate: [16, () => set(anyWebhook(), 'active')],
      redeliverOne: [
        3,
        async () => {
          const webhook = anyWebhook();
          const { result } = (await send('GET', `${webhook}/deliveries?limit=50`)).body.data;
          const one = result[below(result.length)];
          if (!one) return;
          const { status } = await send('POST', `${webhook}/deliveries/${one.id}/redeliver`);
          // Meanwhile a redelivery of many may have dropped it.
          expect([200, 404]).toContain(status);
        },
      ],
      redeliverMany: [
        2,
        async () =>
          expect((await send('POST', `${anyWebhook()}/redeliver`, { from: aWhileAgo() })).status).toBe(200),
      ],
    };
    const lots = Object.values(actions).flatMap(([weight, act]) => Array<typeof act>(weight).fill(act));
    for (let step = 0; step < steps; step++) await (lots[below(lots.length)] as (typeof lots)[number])();
    await untilEnded();

    for (const [at, receiver] of receivers.entries())
      receiver.answer((response, received) => {
        took[at]?.push(...numbersOf(received));
        response.end();
      });
    for (const webhook of webhooks) await set(webhook, 'active');
    await upload(1);
    await until(async () => took.every((taken) => taken.includes(last)), 240_000);

    for (const taken of took) {
      const told = new Set(taken);
      expect([...owed].filter((n) => !told.has(n))).toEqual([]);
      expect([...told].filter((n) => inOrder.has(n))).toEqual([...inOrder]);
    }
    console.log({ seed, steps, owed: owed.size, told: took.map(({ length }) => length) });
  },
  300_000 + steps * 200,
);
