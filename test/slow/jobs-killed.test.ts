import { setTimeout as pause } from 'node:timers/promises';
import { expect, inject, it, onTestFinished } from 'vitest';
import { full } from '../faults/expectations.ts';
import { createCuttableProxy } from '../support/cuttable-proxy.ts';
import { expectSwept, fileOf, sha256 } from '../support/export-client.ts';
import {
  startDeletion,
  startErasure,
  startExport,
  startImport,
  startRehearsal,
  startReplay,
} from '../support/job-kinds.ts';
import { isOver, jobWorld, type StartedJob, type StartJob, type World } from '../support/job-world.ts';
import { throughProxy } from '../support/own-database.ts';
import { until } from '../support/sluice.ts';
import { createWorkerProcess } from '../support/worker-process.ts';

/** How often a worker is killed; `FAULTS=full` is the long run. */
const kills = Number(process.env.KILLS ?? (full ? 6 : 3));
/** A lease has to end after each kill, or the queue's lock and some of its looks, on a busy machine. */
const timeout = 300_000 + kills * 60_000;
/** Enough that a worker that is stopped is amid it. */
const stoppedLines = 30_000;

interface Kind {
  start: StartJob;
  /** So many entries, lines or uploads are left for each worker. */
  each: number;
  /** Many share a job that is done in chunks. */
  workers: number;
  /** A piece is committed with this command. Its worker is held at the second one, as it is too quick to be caught. */
  holdAt?: string;
}

const kinds: Record<string, Kind> = {
  import: { start: startImport, each: 15_000, workers: 2 },
  replay: { start: startReplay, each: 2_000, workers: 1 },
  deletion: { start: startDeletion, each: 6_000, workers: 1 },
  erasure: { start: startErasure, each: 6_000, workers: 1 },
  rehearsal: { start: startRehearsal, each: 15_000, workers: 2 },
  export: { start: startExport, each: 1_000, workers: 2, holdAt: '$push' },
};
const serviceOf = (kind: string) =>
  ['export', 'erasure'].includes(kind) ? 'export-worker' : 'ingest-worker';

/** A worker, by way of a proxy that can hold it. */
async function createHeldWorker(kind: string, { sluice }: World) {
  const { hostname, port } = new URL(inject('mongodbUrl'));
  const proxy = await createCuttableProxy({ host: hostname, port: Number(port || 27017) });
  onTestFinished(proxy.close);
  const MONGODB_URL = throughProxy(sluice.env.MONGODB_URL as string, proxy);
  const env = { ...sluice.env, MONGODB_URL, WORKER_CONCURRENCY: '2' };
  let held = { left: Number.POSITIVE_INFINITY };
  return {
    ...createWorkerProcess(serviceOf(kind), env),
    proxy,
    isHeld: () => held.left === 0,
    /** At the second one from now on. */
    holdAt(text: string, isOn = true): void {
      held = proxy.stallWhenSent(text, isOn ? 1 : Number.POSITIVE_INFINITY);
    },
  };
}
type HeldWorker = Awaited<ReturnType<typeof createHeldWorker>>;

/** Resolves when a worker is amid the job, with that worker. */
async function caught(
  { look }: World,
  { path }: StartedJob,
  { workers, holdAt, kill }: { workers: HeldWorker[]; holdAt: string | undefined; kill: number },
): Promise<HeldWorker> {
  const held = () => workers.find(({ isHeld }) => isHeld());
  const share = (kill + Math.random()) / (kills + 1);
  await until(async () => {
    if (holdAt) return held() !== undefined;
    const told = await look(path);
    return told.progress.done >= Math.max(1, share * told.progress.total) || isOver(told);
  }, timeout);
  await pause(100 * Math.random());
  return held() ?? (workers[kill % workers.length] as HeldWorker);
}

it.each(Object.entries(kinds))(
  'of every %s whose workers are killed again and again each piece is done once',
  async (kind, { start, each, workers: count, holdAt }) => {
    const world = await jobWorld();
    const job = await start(world, each * (kills + 1));
    expect(await world.look(job.path)).toMatchObject({ state: 'waiting', progress: { done: 0 } });
    const workers = await Promise.all(Array.from({ length: count }, () => createHeldWorker(kind, world)));
    if (holdAt) for (const worker of workers) worker.holdAt(holdAt);
    await Promise.all(workers.map((worker) => worker.start()));
    let before = 0;
    const left: number[] = [];
    for (let kill = 0; kill < kills; kill++) {
      const worker = await caught(world, job, { workers, holdAt, kill });
      const isLast = kill + 1 === kills;
      // The last one that takes the job ends it.
      if (holdAt && isLast) for (const each of workers) each.holdAt(holdAt, false);
      worker.kill();
      await worker.gone();
      const { state, progress } = await world.look(job.path);
      expect(['active', ...(holdAt ? [] : ['completed'])]).toContain(state);
      expect(progress.done).toBeGreaterThan(holdAt ? before : 0);
      before = progress.done;
      left.push(progress.total - progress.done);
      // What it had sent is gone with it.
      await worker.proxy.cut();
      await worker.proxy.restore();
      if (holdAt && !isLast) worker.holdAt(holdAt);
      await worker.start();
    }
    const told = await world.ended(job, timeout);
    console.log(`${kind}: ${kills} kills, with so many left: ${left.join(', ')}`);
    const lines = workers.flatMap((worker) => worker.lines);
    await job.expectDone(told, lines, kills);
  },
  timeout,
);

it(
  'an import whose only worker is stopped goes on at once with the next one',
  async () => {
    const world = await jobWorld();
    const job = await startImport(world, stoppedLines);
    const env = { ...world.sluice.env, WORKER_CONCURRENCY: '2' };
    const first = createWorkerProcess('ingest-worker', env);
    await first.start();
    await until(async () => (await world.look(job.path)).progress.done >= stoppedLines / 4, timeout);
    await first.stop();
    expect(await world.db.collection('chunks').countDocuments({ leaseUntil: { $gt: new Date() } })).toBe(0);
    await createWorkerProcess('ingest-worker', env).start();
    await job.expectDone(await world.ended(job, timeout), [], 0);
  },
  timeout,
);

it(
  'an export worker that wakes up after another completed its job changes nothing, and leaves nothing behind',
  async () => {
    const world = await jobWorld();
    const { store, db } = world;
    const job = await startExport(world, 2_000);
    const { id } = job;
    const one = await createHeldWorker('export', world);
    const other = await createHeldWorker('export', world);
    one.holdAt('$push');
    await one.start();
    await until(async () => one.isHeld(), timeout);
    one.halt();
    await one.proxy.restore();
    const claims = () =>
      [one, other].map(({ lines }) => lines.filter(({ event }) => event === 'export.began'));
    expect((await store.jobs.get(id))?.fence).toBe(claims()[0]?.[0]?.fence);
    expect((await store.jobs.get(id))?.state).toBe('active');
    await other.start();
    expect((await world.ended(job, timeout)).state).toBe('completed');
    const record = await store.jobs.get(id);
    expect(sha256(await fileOf(store, id))).toBe(record?.manifest?.sha256);

    one.goOn();
    await until(async () => one.lines.some(({ event }) => event === 'export.lost'));
    await expectSwept(db, store, id);
    expect(await store.jobs.get(id)).toEqual(record);
    expect(sha256(await fileOf(store, id))).toBe(record?.manifest?.sha256);
    expect(claims().flatMap((found) => found.map(({ fence }) => fence))).toEqual([1, 2]);
  },
  timeout,
);
