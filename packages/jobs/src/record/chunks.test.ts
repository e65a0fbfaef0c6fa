import { ObjectId } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { openStore, ownDatabase } from '../../../../test/support/own-database.ts';
import type { Chunk } from './chunk-records.ts';

const application = new ObjectId().toHexString();

async function begin(count: number) {
  const { db, url } = await ownDatabase();
  const { chunks, horizon, prepare } = openStore(url);
  await prepare();
  const job = new ObjectId().toHexString();
  const chunk = (seq: number): Omit<Chunk, 'id'> => ({
    job,
    application,
    seq,
    lines: 1,
    part: application,
    bytes: 1,
  });
  for (let seq = count - 1; seq >= 0; seq--) await chunks.add(chunk(seq));
  return {
    db: db.collection('chunks'),
    chunks,
    openSince: (of: string) => horizon.of(of, Number.POSITIVE_INFINITY),
    job,
  };
}

/** As if the lease of all had ended. */
const forget = ({ db }: Awaited<ReturnType<typeof begin>>) =>
  db.updateMany({}, { $set: { leaseUntil: new Date(0) } });

it('chunks are taken in the order of the file, each by one, with times in that order', async () => {
  const { chunks, job } = await begin(40);
  const taken = await Promise.all(Array.from({ length: 50 }, () => chunks.claim(job, 600_000)));
  const found = taken.filter((chunk) => chunk !== undefined).sort((a, b) => a.seq - b.seq);
  expect(found.map(({ seq }) => seq)).toEqual(Array.from({ length: 40 }, (_, seq) => seq));
  const stamps = found.map(({ stamp }) => stamp);
  expect(stamps).toEqual([...stamps].sort((a, b) => a - b));
});

it('a chunk whose lease is over is taken again, with the same time, and only the last may write', async () => {
  const run = await begin(2);
  const { chunks, job } = run;
  const first = await chunks.claim(job, 60_000);
  if (!first) throw new Error('none');
  await forget(run);
  const again = await chunks.claim(job, 60_000);
  expect(again).toMatchObject({ id: first.id, stamp: first.stamp, fence: first.fence + 1 });
  const result = { accepted: 1, rejected: 0 };
  expect(await chunks.renew(first.id, first.fence, 1, 1_000)).toBe(false);
  expect(await chunks.commit(first.id, first.fence, result)).toBe(false);
  expect(await chunks.commit(first.id, first.fence + 1, result)).toBe(true);
  expect(await chunks.areDone(job)).toBe(false);
  expect((await chunks.claim(job, 60_000))?.seq).toBe(1);
  expect(await chunks.totals(job)).toEqual({ done: 1, ...result, repeated: 0, held: 1 });
});

it('who takes it and is not heard of again is counted, unless the fault was passing', async () => {
  const run = await begin(1);
  const { chunks, job } = run;
  for (const attempts of [1, 2, 3]) {
    expect((await chunks.claim(job, 60_000))?.attempts).toBe(attempts);
    await forget(run);
  }
  const chunk = await chunks.claim(job, 60_000);
  if (!chunk) throw new Error('none');
  await chunks.release(chunk.id, chunk.fence, false);
  const again = await chunks.claim(job, 60_000);
  expect(again?.attempts).toBe(4);
  await chunks.release(chunk.id, chunk.fence + 1, true);
  expect((await chunks.claim(job, 60_000))?.attempts).toBe(5);
});

it('of a job that ends early only what was begun is done, and each chunk is either begun or left', async () => {
  const run = await begin(20);
  const { db, chunks, job } = run;
  const claims = Array.from({ length: 10 }, () => chunks.claim(job, 60_000));
  await Promise.all([chunks.leave(job), ...claims]);
  await chunks.leave(job);
  const begun = (await Promise.all(claims)).filter((chunk) => chunk !== undefined);
  expect(await db.countDocuments({ left: true })).toBe(20 - begun.length);
  await forget(run);
  expect(await chunks.areDone(job)).toBe(begun.length === 0);
  for (const _ of begun) {
    const chunk = await chunks.claim(job, 60_000);
    await chunks.commit(chunk?.id as string, chunk?.fence as number, { accepted: 1, rejected: 0 });
  }
  expect(await chunks.areDone(job)).toBe(true);
  expect(await chunks.claim(job, 60_000)).toBeUndefined();
  expect(await chunks.totals(job)).toMatchObject({ done: begun.length, accepted: begun.length });
});

it('a chunk that was given up counts with what is stored of it, until it is tried again', async () => {
  const { chunks, job } = await begin(2);
  const chunk = await chunks.claim(job, 60_000);
  if (!chunk) throw new Error('none');
  await chunks.leave(job);
  expect(await chunks.giveUp(chunk.id, chunk.fence - 1, 1)).toBe(false);
  expect(await chunks.giveUp(chunk.id, chunk.fence, 1)).toBe(true);
  expect(await chunks.commit(chunk.id, chunk.fence, { accepted: 0, rejected: 1 })).toBe(false);
  expect(await chunks.areDone(job)).toBe(true);
  expect(await chunks.totals(job)).toEqual({ done: 1, accepted: 1, repeated: 0, rejected: 0, held: 2 });
  await chunks.reopen(job);
  expect(await chunks.areDone(job)).toBe(false);
  expect(await chunks.totals(job)).toEqual({ done: 0, accepted: 0, repeated: 0, rejected: 0, held: 2 });
});

it('is open since the lowest time of what was taken and is not done, be its import over or not', async () => {
  const run = await begin(3);
  const { chunks, openSince, job } = run;
  expect(await openSince(application)).toBe(Number.POSITIVE_INFINITY);
  const [first, second] = [await chunks.claim(job, 60_000), await chunks.claim(job, 60_000)];
  if (!first || !second) throw new Error('none');
  expect(await openSince(application)).toBe(first.stamp);
  expect(await openSince(new ObjectId().toHexString())).toBe(Number.POSITIVE_INFINITY);
  await chunks.commit(first.id, first.fence, { accepted: 1, rejected: 0 });
  expect(await openSince(application)).toBe(second.stamp);
  await chunks.removeIdle(job);
  expect(await openSince(application)).toBe(second.stamp);
  await forget(run);
  await chunks.removeIdle(job);
  expect(await openSince(application)).toBe(Number.POSITIVE_INFINITY);
});

describe('of an import that failed', () => {
  it('chunks lose their time once nobody can be writing, which is not forgotten', async () => {
    const run = await begin(2);
    const { chunks, openSince, job } = run;
    const first = await chunks.claim(job, 60_000);
    if (!first) throw new Error('none');
    await chunks.dropTimes(job);
    expect(await openSince(application)).toBe(first.stamp);
    await forget(run);
    await chunks.dropTimes(job);
    expect(await openSince(application)).toBe(Number.POSITIVE_INFINITY);
    const again = await chunks.claim(job, 60_000);
    expect(again).toMatchObject({ id: first.id, earlier: [first.stamp] });
    expect(again?.stamp).toBeGreaterThanOrEqual(first.stamp);
    await forget(run);
    await chunks.dropTimes(job);
    expect((await chunks.claim(job, 60_000))?.earlier).toEqual([first.stamp, again?.stamp]);
  });

  it('who had a chunk before it is tried again can write no more, and none was tried in vain', async () => {
    const { chunks, job } = await begin(2);
    const [done, held] = [await chunks.claim(job, 60_000), await chunks.claim(job, 60_000)];
    if (!done || !held) throw new Error('none');
    await chunks.commit(done.id, done.fence, { accepted: 1, rejected: 0 });
    await chunks.reopen(job);
    expect(await chunks.renew(held.id, held.fence, 1, 60_000)).toBe(false);
    await chunks.release(held.id, held.fence, true);
    expect(await chunks.claim(job, 60_000)).toBeUndefined();
    expect(await chunks.commit(held.id, held.fence, { accepted: 0, rejected: 1 })).toBe(false);
    expect(await chunks.totals(job)).toEqual({ done: 1, accepted: 1, repeated: 0, rejected: 0, held: 1 });
    await chunks.release(held.id, held.fence + 1, true);
    expect(await chunks.claim(job, 60_000)).toMatchObject({ id: held.id, attempts: 1 });
  });
});
