import { expect, it, onTestFinished } from 'vitest';
import { openStore, ownDatabase } from '../../../../test/support/own-database.ts';
import { ownRedis } from '../../../../test/support/own-redis.ts';
import { createOwnedExport } from '../../../../test/support/owned-export.ts';
import { until } from '../../../../test/support/sluice.ts';
import type { ExportJob } from '../record/export-record.ts';
import { consume, type Handler, Postpone } from './consumer.ts';
import { createJobQueue } from './producer.ts';
import { exportsQueue, timings } from './queues.ts';

const [anna, ben, cleo] = ['a', 'b', 'c'].map((digit) => digit.repeat(24)) as [string, string, string];
const later = () => new Date(Date.now() + 60_000);

async function start() {
  const { url } = await ownDatabase();
  const { jobs } = openStore(url);
  const { config, log, redis } = await ownRedis();
  const queue = createJobQueue(exportsQueue, jobs, redis, config, log);

  async function create(owner: string): Promise<ExportJob> {
    const created = await createOwnedExport({ jobs }, owner);
    await queue.enqueue(created);
    return created;
  }

  /** From now on one job at a time is claimed; returns whose they were, in order. */
  function work(then: (job: ExportJob, at: number) => Promise<void>): string[] {
    const owners: string[] = [];
    const handler: Handler<{ jobId: string }> = async ({ jobId }) => {
      const job = await jobs.claim('export', jobId, 60_000);
      if (!job) return;
      owners.push(job.owner);
      try {
        await then(job, owners.length);
      } finally {
        await queue.moveUp(job);
      }
    };
    const consumer = consume(
      exportsQueue,
      { export: handler },
      { redis: config, concurrency: 1, timings, log },
    );
    onTestFinished(consumer.close);
    return owners;
  }

  const complete = async ({ id, fence }: ExportJob) =>
    void (await jobs.complete(id, fence, { rows: 0, bytes: 0, sha256: '' }, later()));
  return { jobs, queue, create, work, complete };
}

it('owners alternate, however many jobs one of them has', async () => {
  const { create, work, complete } = await start();
  for (const owner of [anna, anna, anna, anna, ben, ben, cleo]) await create(owner);
  const owners = work(complete);
  await until(async () => owners.length === 7);
  expect(owners).toEqual([anna, ben, cleo, anna, ben, anna, anna]);
});

it('jobs of owners who come again and again do not hold up the others', async () => {
  const { create, work, complete } = await start();
  for (const owner of [anna, anna, anna, ben]) await create(owner);
  const owners = work(async (job, at) => {
    await complete(job);
    if (job.owner === ben && at < 6) await create(ben);
  });
  await until(async () => owners.length === 6);
  expect(owners).toEqual([anna, ben, anna, ben, anna, ben]);
});

it('a job that is postponed goes on after those of others that wait', async () => {
  const { jobs, create, work, complete } = await start();
  const long = await create(anna);
  for (const owner of [anna, ben, cleo]) await create(owner);
  const done: string[] = [];
  const owners = work(async (job) => {
    if (job.id === long.id && job.fence === 1) {
      await jobs.release(job.id, job.fence, false);
      throw new Postpone();
    }
    await complete(job);
    done.push(job.id);
  });
  await until(async () => owners.length === 5);
  expect(owners).toEqual([anna, ben, cleo, anna, anna]);
  expect(done[2]).toBe(long.id);
});

it('what was cancelled while it waited holds up nobody', async () => {
  const { jobs, create, work, complete } = await start();
  const first = await create(anna);
  for (const owner of [anna, ben, ben]) await create(owner);
  await jobs.cancel(first.id, later());
  const owners = work(complete);
  await until(async () => owners.length === 3);
  expect(owners.slice().sort()).toEqual([anna, ben, ben]);
});
