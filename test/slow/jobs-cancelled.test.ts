import { setTimeout as pause } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  startDeletion,
  startExport,
  startImport,
  startRehearsal,
  startReplay,
} from '../support/job-kinds.ts';
import { isOver, jobWorld, type StartedJob, type Told } from '../support/job-world.ts';
import { createWorkerProcess } from '../support/worker-process.ts';

/** How many jobs of each kind are cancelled. */
const moments = Number(process.env.MOMENTS ?? 6);
/** A lease has to end after each kill. */
const timeout = 240_000 + moments * 60_000;
/** When a job is cancelled: so long after so much of it was done. Its worker may be killed just before or after. */
const moment = fc.record({
  done: fc.double({ min: 0, max: 0.9, noNaN: true }),
  laterMs: fc.nat(100),
  kill: fc.constantFrom('never', 'never', 'before', 'after'),
  killMs: fc.nat(60),
});

it.each([
  ['import', startImport, 20_000],
  ['replay', startReplay, 4_000],
  ['deletion', startDeletion, 16_000],
  ['rehearsal', startRehearsal, 30_000],
  ['export', startExport, 2_000],
] as const)(
  'every %s that is cancelled at some moment tells what it did, also when its worker is killed then',
  async (kind, start, count) => {
    // MongoDB ends the transaction of a dead worker after 60 s. Whoever cancels a job does not wait for that.
    const world = await jobWorld({ MONGODB_TIMEOUT: '30s' });
    const { sluice, store, token, look } = world;
    const ended = (started: StartedJob) => world.ended(started, timeout);
    const worker = createWorkerProcess(kind === 'export' ? 'export-worker' : 'ingest-worker', {
      ...sluice.env,
      WORKER_CONCURRENCY: '2',
    });
    await worker.start();
    const whole = await start(world, count);
    const told = await ended(whole);
    expect(told).toMatchObject({ state: 'completed', ...(await whole.stored(told)) });
    const { total } = told.progress;
    async function reached({ id }: StartedJob, done: number): Promise<void> {
      for (;;) {
        const job = await store.jobs.glance(id);
        if (!job || isOver(job) || (job.state === 'active' && job.done >= done)) return;
        await pause(5);
      }
    }

    const over: { started: StartedJob; told: Told }[] = [];
    await fc.assert(
      fc.asyncProperty(moment, async ({ done, laterMs, kill, killMs }) => {
        const started = await start(world, count);
        await reached(started, done * total);
        await pause(laterMs);
        const killed = async (when: typeof kill) => {
          if (kill !== when) return;
          worker.kill();
          await worker.gone();
        };
        await killed('before');
        const { status } = await sluice.request('DELETE', started.path, { token });
        expect(status).toBe(200);
        if (kill === 'after') await pause(killMs);
        await killed('after');
        if (kill !== 'never') await worker.start();
        // It may have been over before: then it is removed.
        if ((await sluice.request('GET', started.path, { token })).status === 404) return;
        const told = await ended(started);
        expect(told).toMatchObject({ state: 'cancelled', ...(await started.stored(told)) });
        expect(told).not.toHaveProperty('file');
        if (kill === 'never') await started.calm?.(told);
        over.push({ started, told });
      }),
      { numRuns: moments, endOnFailure: true },
    );
    for (const { started, told } of over) {
      expect(await look(started.path)).toEqual(told);
      expect(told).toMatchObject(await started.stored(told));
    }
  },
  timeout,
);
