import { ObjectId } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { openStore, ownDatabase } from '../../../../test/support/own-database.ts';
import { createOwnedExport } from '../../../../test/support/owned-export.ts';
import type { ExportJob } from './export-record.ts';
import type { Manifest } from './job.ts';

const [anna, ben, cleo] = ['a', 'b', 'c'].map((digit) => digit.repeat(24)) as [string, string, string];
const longMs = 60_000;
const later = () => new Date(Date.now() + longMs);
const manifest: Manifest = { rows: 2, bytes: 3, sha256: 'f' };

async function start() {
  const { url } = await ownDatabase();
  const { jobs } = openStore(url);

  const create = (owner: string) => createOwnedExport({ jobs }, owner);
  const claim = async ({ id }: Pick<ExportJob, 'id'>, leaseMs = longMs) =>
    (await jobs.claim('export', id, leaseMs)) as ExportJob;
  const commit = ({ id, fence }: ExportJob, rows = 1) =>
    jobs.exports.commitParts(id, fence, {
      parts: [{ id: new ObjectId().toHexString(), rows, bytes: 10 * rows }],
      position: { pass: 0, entries: rows },
      firstCreatedAt: undefined,
      lastCreatedAt: undefined,
    });
  return { jobs, create, claim, commit };
}

describe('a claim', () => {
  it('makes a job active, and nobody else can claim it', async () => {
    const { jobs, create, claim } = await start();
    const created = await create(anna);
    const claimed = await claim(created);
    expect(claimed).toMatchObject({ id: created.id, state: 'active', fence: 1, attempts: 1 });
    expect(claimed.startedAt).toBeInstanceOf(Date);
    expect(await claim(created)).toBeUndefined();
    expect(await jobs.get(created.id)).toEqual(claimed);
  });

  it('is over with its lease: then the job can be claimed again, with the next fence', async () => {
    const { jobs, create, claim } = await start();
    const created = await create(anna);
    const first = await claim(created, 0);
    const second = await claim(created);
    expect([second.fence, second.attempts]).toEqual([2, 2]);
    expect(second.startedAt).toEqual(first.startedAt);
    expect(await claim(created)).toBeUndefined();
    expect(await jobs.renew(created.id, second.fence, 0)).toBe(true);
    const over = (await jobs.get(created.id))?.leaseUntil?.getTime() as number;
    const third = await claim(created);
    expect(third.fence).toBe(3);
    expect((third.leaseUntil?.getTime() ?? 0) - longMs).toBeGreaterThanOrEqual(over);
  });

  it('lasts longer with every heartbeat', async () => {
    const { jobs, create, claim } = await start();
    const created = await create(anna);
    const { id, fence } = await claim(created, 0);
    expect(await jobs.renew(id, fence, longMs)).toBe(true);
    expect(await claim(created)).toBeUndefined();
  });

  it('of many at once gives a job to one of them', async () => {
    const { create, claim } = await start();
    const created = await create(anna);
    const claimed = await Promise.all(Array.from({ length: 20 }, () => claim(created)));
    expect(claimed.filter(Boolean)).toHaveLength(1);
  });

  it('is not of jobs that are over', async () => {
    const { jobs, create, claim } = await start();
    const [cancelled, completed, failed] = [await create(anna), await create(ben), await create(cleo)];
    await jobs.cancel(cancelled.id, later());
    // Their leases are over as well.
    const [completing, failing] = [await claim(completed, 0), await claim(failed, 0)];
    await jobs.complete(completed.id, completing.fence, manifest, later());
    await jobs.fail(failed.id, failing.fence, { error: 'why' }, later());
    for (const job of [cancelled, completed, failed]) expect(await claim(job)).toBeUndefined();
  });
});

describe('a worker that lost its job', () => {
  it('can neither commit, complete, fail, renew nor release it', async () => {
    const { jobs, create, claim, commit } = await start();
    const created = await create(anna);
    const old = await claim(created, 0);
    const now = await claim(created);
    const { id, fence } = old;
    const before = await jobs.get(id);
    expect(await commit(old)).toBe(false);
    expect(await jobs.complete(id, fence, manifest, later())).toBe(false);
    expect(await jobs.fail(id, fence, { error: 'why' }, later())).toBeUndefined();
    expect(await jobs.renew(id, fence, longMs)).toBe(false);
    await jobs.release(id, fence, true);
    expect(await jobs.get(id)).toEqual(before);
    expect(await jobs.partsOf(id)).toEqual([]);
    // The one that has it can.
    expect(await commit(now, 2)).toBe(true);
    expect(await jobs.complete(id, now.fence, manifest, later())).toBe(true);
    expect(await jobs.get(id)).toMatchObject({ state: 'completed', done: 2, total: 2, bytes: 20, manifest });
  });

  it('can do nothing either once it is cancelled', async () => {
    const { jobs, create, claim, commit } = await start();
    const held = await claim(await create(anna));
    const { id, fence } = held;
    expect(await commit(held)).toBe(true);
    expect(await jobs.cancel(id, later())).toBe('ended');
    const before = await jobs.get(id);
    expect(await commit(held)).toBe(false);
    expect(await jobs.complete(id, fence, manifest, later())).toBe(false);
    expect(await jobs.fail(id, fence, { error: 'why' }, later())).toBeUndefined();
    expect(await jobs.renew(id, fence, longMs)).toBe(false);
    await jobs.release(id, fence, true);
    expect(await jobs.get(id)).toEqual(before);
    expect(before?.state).toBe('cancelled');
    expect(await jobs.cancel(id, later())).toBeUndefined();
  });
});

describe('a job', () => {
  it('that is released waits where it stood', async () => {
    const { jobs, create, claim, commit } = await start();
    const created = await create(anna);
    const held = await claim(created);
    await commit(held, 5);
    await jobs.release(held.id, held.fence, false);
    expect(await jobs.get(created.id)).toMatchObject({ state: 'waiting', done: 5, attempts: 0 });
    expect(await claim(created)).toMatchObject({ id: created.id, done: 5, fence: 2, attempts: 1 });
  });

  it('counts the workers that did nothing for it since it last moved', async () => {
    const { jobs, create, claim, commit } = await start();
    const created = await create(anna);
    expect([(await claim(created, 0)).attempts, (await claim(created, 0)).attempts]).toEqual([1, 2]);
    const third = await claim(created);
    expect([third.attempts, await commit(third)]).toEqual([3, true]);
    expect((await jobs.get(third.id))?.attempts).toBe(0);
    await jobs.release(third.id, third.fence, true);
    const fourth = await claim(created);
    expect(fourth.attempts).toBe(1);
    await jobs.release(fourth.id, fourth.fence, true);
    expect((await claim(created)).attempts).toBe(2);
  });

  it('has its parts in the order in which they were committed', async () => {
    const { jobs, create, claim, commit } = await start();
    const held = await claim(await create(anna));
    for (const rows of [3, 1, 2]) expect(await commit(held, rows)).toBe(true);
    expect((await jobs.partsOf(held.id)).map(({ rows }) => rows)).toEqual([3, 1, 2]);
    expect((await jobs.follow(held.id, 1))?.parts.map(({ rows }) => rows)).toEqual([1, 2]);
    expect(await jobs.get(held.id)).toMatchObject({ done: 6, bytes: 60, position: { entries: 2 } });
  });
});

describe('places', () => {
  it('are by the time of each owner, without what is over', async () => {
    const { jobs, create } = await start();
    const [first, second, third] = [await create(anna), await create(anna), await create(anna)];
    const other = await create(ben);
    const places = () => Promise.all([first, second, third, other].map((job) => jobs.placeOf(job)));
    expect(await places()).toEqual([1, 2, 3, 1]);
    await jobs.cancel(first.id, later());
    expect((await places()).slice(1)).toEqual([1, 2, 1]);
  });

  it('of jobs that wait are behind those under way; one whose worker is dead waits too', async () => {
    const { jobs, create, claim } = await start();
    const [first, second, third] = [await create(anna), await create(anna), await create(anna)];
    await create(ben);
    await claim(first, 0);
    await claim(second);
    expect(await jobs.waitingOf({ kind: 'export', owner: anna }, 10)).toEqual([
      { id: first.id, place: 2 },
      { id: third.id, place: 3 },
    ]);
    expect(await jobs.waitingOf({ kind: 'export', owner: anna }, 1)).toHaveLength(1);
  });
});

it('an owner is outweighed while another waits for whom less is under way', async () => {
  const { jobs, create, claim } = await start();
  const isOutweighed = () => jobs.isOutweighed(['export'], anna);
  await claim(await create(anna));
  await create(anna);
  // The one that waits is the owner's own.
  expect(await isOutweighed()).toBe(false);
  const other = await create(ben);
  expect(await isOutweighed()).toBe(true);
  await claim(other);
  await create(ben);
  // Now each has one.
  expect(await isOutweighed()).toBe(false);
});

describe('a retry', () => {
  it('lets a failed job wait again where it stands, once, and who had it before can write no more', async () => {
    const { jobs, create, claim, commit } = await start();
    const created = await create(anna);
    const { id } = created;
    const held = await claim(created);
    await commit(held);
    await jobs.fail(id, held.fence, { error: 'broken', isDefect: true }, later());
    const failed = (await jobs.get(id)) as ExportJob;
    const retried = await jobs.retry(failed, 'as it stands');
    const { error: _, isDefect: __, finishedAt: ___, expiresAt: ____, leaseUntil: _____, ...kept } = failed;
    expect(retried).toEqual({
      ...kept,
      state: 'waiting',
      attempts: 0,
      fence: held.fence + 1,
      queuedAt: expect.any(Date),
      mark: { at: expect.any(Date), done: 1 },
    });
    expect(await jobs.partsOf(id)).toHaveLength(1);
    expect(await jobs.retry(failed, 'as it stands')).toBeUndefined();

    const again = await claim(created);
    expect(again).toMatchObject({ id, done: 1, position: { entries: 1 } });
    expect(await commit(held)).toBe(false);
    expect(await jobs.renew(id, held.fence, longMs)).toBe(false);
    expect(await jobs.complete(id, held.fence, manifest, later())).toBe(false);
    expect(await jobs.fail(id, held.fence, { error: 'late' }, later())).toBeUndefined();
    await jobs.release(id, held.fence, true);
    expect(await jobs.get(id)).toEqual(again);
    // What was seen before is not what has failed now.
    await jobs.fail(id, again.fence, { error: 'again' }, later());
    expect(await jobs.retry(failed, 'as it stands')).toBeUndefined();
  });

  it('anew has no part and no position', async () => {
    const { jobs, create, claim, commit } = await start();
    const created = await create(anna);
    const { id } = created;
    const held = await claim(created);
    await commit(held);
    await jobs.fail(id, held.fence, { error: 'broken' }, later());
    await jobs.retry(held, 'without parts');
    expect(await claim(created)).not.toHaveProperty('position');
    expect(await jobs.get(id)).toMatchObject({ done: 0, bytes: 0 });
    expect(await jobs.partsOf(id)).toEqual([]);
  });

  it('keeps a job from going whose time was over', async () => {
    const { jobs, create, claim } = await start();
    const created = await create(anna);
    const { id } = created;
    const held = await claim(created);
    await jobs.fail(id, held.fence, { error: 'broken' }, new Date(0));
    const now = new Date();
    expect(await jobs.expired(now, 10)).toEqual([{ id, kind: 'export' }]);
    await jobs.retry(held, 'as it stands');
    expect(await jobs.removeExpired(id, now)).toBe(false);
    await jobs.cancel(id, new Date(0));
    expect(await jobs.removeExpired(id, now)).toBe(true);
    expect(await jobs.get(id)).toBeUndefined();
  });
});
