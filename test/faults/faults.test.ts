import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Client, createClient } from '../compose/client.ts';
import { until } from '../compose/stack.ts';
import { type Cluster, startCluster } from './cluster.ts';
import { startOracle, type Verdict } from './oracle.ts';

/** `FAULTS=full` repeats each fault as often as the promises say; without it every kind comes a few times. */
const full = process.env.FAULTS === 'full';
const times = (short: number, long: number) => (full ? long : short);

let cluster: Cluster;
let failed = false;

beforeAll(async () => {
  cluster = await startCluster();
});
afterEach(({ task }) => {
  failed ||= task.result?.state === 'fail';
});
afterAll(async () => {
  if (!cluster) return;
  if (failed) console.error(await cluster.compose('logs', '--no-color', '--tail', '100').catch(String));
  await cluster.down();
  await cluster.discard();
});

function expectExact(verdict: Verdict): void {
  expect(verdict).toMatchObject({ lost: 0, changed: 0, doubled: 0, unknown: 0 });
  expect(verdict.acknowledged).toBeGreaterThan(0);
}

/** A fault that nobody noticed was none. */
const expectFelt = (answers: Record<string, number>) =>
  expect((answers[0] ?? 0) + (answers[503] ?? 0)).toBeGreaterThan(0);

const say = (what: string, figures: object) => console.log(what, JSON.stringify(figures));
const median = (numbers: number[]) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;

describe('an acknowledged upload is stored once', () => {
  it('when an API is killed with 200 uploads in flight', async () => {
    const oracle = startOracle(await createClient(cluster.url), { connections: 200 });
    const replicas = await cluster.replicas('api');
    const kills = times(4, 100);
    for (let i = 0; i < kills; i++) {
      const id = replicas[i % replicas.length] as string;
      await oracle.goOn(200);
      const mend = await cluster.kill(id);
      await mend();
    }
    await oracle.goOn(200);
    const verdict = await oracle.verdict();
    say(`API killed ${kills} times`, { ...verdict, answers: oracle.answers() });
    expectExact(verdict);
    expectFelt(oracle.answers());
  });

  it('when the primary is killed or cut off, and the rate is back within 15 s', async () => {
    const oracle = startOracle(await createClient(cluster.url), { connections: 32 });
    const back: number[] = [];
    const faults = times(2, 10);
    for (let i = 0; i < faults; i++) {
      const before = performance.now();
      await oracle.goOn(1_000);
      const usual = median(oracle.rates(before, performance.now()));
      const name = await cluster.primary();
      const id = await cluster.one(name);
      const began = performance.now();
      const mend = await (i % 2 ? cluster.cut(name) : cluster.kill(id));
      await until(
        'the rate is back',
        async () => secondsUntil(oracle.rates(began, performance.now()), usual) >= 0,
      );
      back.push(secondsUntil(oracle.rates(began, performance.now()), usual));
      await mend();
      await cluster.healthy(id);
    }
    const verdict = await oracle.verdict();
    say(`primary lost ${faults} times`, { ...verdict, back, answers: oracle.answers() });
    expectExact(verdict);
    expectFelt(oracle.answers());
    expect(new Set(Object.keys(oracle.answers())).difference(new Set(['201', '503']))).toEqual(new Set());
    for (const seconds of back) expect(seconds).toBeLessThanOrEqual(15);
  });

  it('and none is acknowledged while both secondaries are away', async () => {
    const oracle = startOracle(await createClient(cluster.url), { connections: 32 });
    await oracle.goOn(200);
    const primary = await cluster.primary();
    const others = await Promise.all(cluster.members.filter((name) => name !== primary).map(cluster.one));
    const mends = await Promise.all(others.map(cluster.pause));
    // What was confirmed before is still on its way back.
    const away = oracle.answers()[503] ?? 0;
    await until('uploads are answered with 503', async () => (oracle.answers()[503] ?? 0) > away + 32);
    const acknowledged = oracle.acknowledged();
    const refused = oracle.answers()[503] ?? 0;
    await until('more are', async () => (oracle.answers()[503] ?? 0) > refused + 64);
    expect(oracle.acknowledged()).toBe(acknowledged);
    await Promise.all(mends.map((mend) => mend()));
    await oracle.goOn(500);
    const verdict = await oracle.verdict();
    say('both secondaries away', { ...verdict, answers: oracle.answers() });
    expectExact(verdict);
    expect(new Set(Object.keys(oracle.answers())).difference(new Set(['201', '503']))).toEqual(new Set());
  });
});

/** After how many seconds the rate is most of the usual one; -1 when it never is. */
const secondsUntil = (rates: number[], usual: number) => {
  // The first second has what was under way.
  const at = rates.findIndex((rate, second) => second > 0 && rate >= 0.8 * usual);
  return at < 0 ? -1 : at + 1;
};

const isOver = (job: { state: string }) => !['waiting', 'active'].includes(job.state);

describe('without Redis', () => {
  const lines = (from: number, count: number) =>
    Array.from({ length: count }, (_, i) => `{"n":${from + i}}\n`).join('');

  /** Asks for jobs; resolves with the paths of those that were accepted. */
  async function ask(client: Client): Promise<string[]> {
    const imported = await client.call('POST', `${client.path}/imports`, lines(-1_000, 500), {
      'content-type': 'application/x-ndjson',
    });
    const exported = await client.call('POST', `${client.path}/exports`, {});
    expect([202, 503]).toContain(exported.status);
    expect([202, 503]).toContain(imported.status);
    return [
      ...(exported.status === 202 ? [`${client.path}/exports/${exported.body.data.id}`] : []),
      ...(imported.status === 202 ? [`${client.path}/imports/${imported.body.data.id}`] : []),
    ];
  }

  async function expectCompleted(client: Client, jobs: string[]): Promise<void> {
    for (const path of jobs) {
      await until(`${path} is over`, async () => isOver((await client.call('GET', path)).body.data));
      expect((await client.call('GET', path)).body.data).toMatchObject({ state: 'completed' });
    }
  }

  const pausedMs = times(15_000, 60_000);
  it.each([
    ['killed', (id: string) => cluster.kill(id)],
    [
      'emptied',
      async () => {
        await cluster.redis('FLUSHALL');
        return async () => undefined;
      },
    ],
    ['paused', (id: string) => cluster.pause(id)],
    [
      'full',
      async () => {
        await cluster.redis('CONFIG', 'SET', 'maxmemory', '1mb');
        return () => cluster.redis('CONFIG', 'SET', 'maxmemory', '256mb');
      },
    ],
  ])('that is %s, every upload is taken and every accepted job completes', async (how, fault) => {
    const client = await createClient(cluster.url);
    // The numbers of the oracle are its own: jobs have an application of theirs.
    const jobsOf = await createClient(cluster.url);
    for (let n = 0; n < 100; n++) await jobsOf.upload(n);
    const oracle = startOracle(client, { connections: 16 });
    await oracle.goOn(100);
    const jobs = await ask(jobsOf);
    const mend = await fault(await cluster.one('redis'));
    const end = performance.now() + (how === 'paused' ? pausedMs : 5_000);
    while (performance.now() < end) {
      jobs.push(...(await ask(jobsOf)));
      await oracle.goOn(50);
    }
    await mend();
    await cluster.healthy(await cluster.one('redis'));
    jobs.push(...(await ask(jobsOf)));
    await expectCompleted(jobsOf, jobs);
    const verdict = await oracle.verdict();
    say(`Redis ${how}`, { ...verdict, answers: oracle.answers(), jobs: jobs.length });
    expectExact(verdict);
    expect(Object.keys(oracle.answers())).toEqual(['201']);
  });
});

describe('export workers', () => {
  const scaleTo = (count: number) =>
    cluster.compose(
      'up',
      '-d',
      '--no-deps',
      '--no-recreate',
      '--scale',
      `export-worker=${count}`,
      'export-worker',
    );

  it('that are killed and scaled meanwhile do each job once', async () => {
    const client = await createClient(cluster.url);
    const entries = 300;
    const lines = Array.from({ length: entries }, (_, n) => `{"n":${n}}\n`).join('');
    const stored = await client.call('POST', `${client.path}/data/batch`, lines, {
      'content-type': 'application/x-ndjson',
    });
    expect(stored.status).toBe(201);

    const jobs: string[] = [];
    const wanted = times(60, 1_000);
    for (let i = 0; i < wanted; i++) {
      const { status, body } = await client.call('POST', `${client.path}/exports`, {});
      expect(status).toBe(202);
      jobs.push(`${client.path}/exports/${body.data.id}`);
    }
    const open = async (): Promise<number> => {
      const { body } = await client.call('GET', `${client.path}/exports`);
      return body.data.filter((job: { state: string }) => !isOver(job)).length;
    };
    await scaleTo(1);
    let kills = 0;
    for (let left = wanted; left > 0; left = await open()) {
      const [victim] = await cluster.replicas('export-worker');
      if (victim) await (await cluster.kill(victim))();
      if (++kills === 2) await scaleTo(8);
      if (kills === 4) await scaleTo(2);
      await until('some more are done', async () => (await open()) < left);
    }
    await scaleTo(2);

    for (const path of jobs) {
      const { state, file } = (await client.call('GET', path)).body.data;
      const numbers = (await client.call('GET', `${path}/file`)).text.split('\r\n').slice(1, -1);
      expect([state, file.rows, numbers.length]).toEqual(['completed', entries, entries]);
      expect(new Set(numbers.map((row) => row.split(',')[1])).size).toBe(entries);
    }
    say(`${wanted} exports`, { kills });
  });
});

describe('a rolling restart', () => {
  it('of every service fails no request', async () => {
    const oracle = startOracle(await createClient(cluster.url), { connections: 16 });
    await oracle.goOn(100);
    for (const service of ['api', 'ingest-worker', 'export-worker']) {
      for (const id of await cluster.replicas(service)) {
        const mend = await cluster.stop(id);
        await oracle.goOn(100);
        await mend();
        await cluster.healthy(id);
      }
    }
    const verdict = await oracle.verdict();
    say('rolling restart', { ...verdict, answers: oracle.answers() });
    expectExact(verdict);
    expect(Object.keys(oracle.answers())).toEqual(['201']);
  });
});
