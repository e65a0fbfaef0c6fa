import { ObjectId } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { openStore, ownDatabase } from '../../../../test/support/own-database.ts';
import { until } from '../../../../test/support/sluice.ts';
import { fairTurns } from './fair-turns.ts';
import type { ExportJob, JobDocument, Manifest } from './job-records.ts';

const [anna, ben, cleo] = ['a', 'b', 'c'].map((digit) => digit.repeat(24)) as [string, string, string];
const longMs = 60_000;
const later = () => new Date(Date.now() + longMs);
const manifest: Manifest = { rows: 2, bytes: 3, sha256: 'f' };

async function start() {
  const { db, url } = await ownDatabase();
  const { jobs } = openStore(url);
  const records = db.collection<JobDocument>('jobs');
  const turns = (limit = 10) => fairTurns(records, 'export', limit);

  async function create(owner: string): Promise<ExportJob> {
    const created = await jobs.exports.create({
      application: 'd'.repeat(24),
      owner,
      domain: 'test',
      options: { format: 'csv', formulas: 'escape', arrays: 'json' },
      leafCount: 0,
      transient: false,
    });
    // Times are in milliseconds: the next job is later than this one.
    await until(async () => Date.now() > created.queuedAt.getTime());
    return created;
  }

  const claim = async (leaseMs = longMs) => (await jobs.exports.claim(leaseMs)) as ExportJob;
  const commit = ({ id, fence }: ExportJob, rows = 1) =>
    jobs.exports.commitParts(id, fence, {
      parts: [{ id: new ObjectId().toHexString(), rows, bytes: 10 * rows }],
      position: { pass: 0, entries: rows },
      firstCreatedAt: undefined,
      lastCreatedAt: undefined,
      leaseMs: longMs,
    });
  return { jobs, records, turns, create, claim, commit };
}

describe('a claim', () => {
  it('makes a job active, and nobody else can claim it', async () => {
    const { jobs, create, claim } = await start();
    const { id } = await create(anna);
    const claimed = await claim();
    expect(claimed).toMatchObject({ id, state: 'active', fence: 1, barren: 1 });
    expect(claimed.startedAt).toBeInstanceOf(Date);
    expect(await claim()).toBeUndefined();
    expect(await jobs.get(id)).toEqual(claimed);
  });

  it('is over with its lease: then the job can be claimed again, with the next fence', async () => {
    const { create, claim } = await start();
    const { id } = await create(anna);
    const first = await claim(0);
    const second = await claim(300);
    expect([second.id, second.fence, second.barren]).toEqual([id, 2, 2]);
    expect(second.startedAt).toEqual(first.startedAt);
    expect(await claim()).toBeUndefined();
    let third: ExportJob | undefined;
    await until(async () => {
      third = await claim();
      return third !== undefined;
    });
    expect(third?.fence).toBe(3);
    expect(third?.touchedAt.getTime()).toBeGreaterThanOrEqual(second.leaseUntil?.getTime() as number);
  });

  it('lasts longer with every beat and with every part', async () => {
    const { jobs, create, claim, commit } = await start();
    await create(anna);
    const one = await claim(0);
    expect(await jobs.beat(one.id, one.fence, longMs)).toBe(true);
    expect(await claim()).toBeUndefined();
    await create(anna);
    const other = await claim(0);
    expect(other.id).not.toBe(one.id);
    expect(await commit(other)).toBe(true);
    expect(await claim()).toBeUndefined();
  });

  it('of many at once gives each job to one of them', async () => {
    const { create, claim } = await start();
    const created = new Set<string>();
    for (const owner of [anna, anna, anna, ben, cleo, cleo]) created.add((await create(owner)).id);
    const claimed = (await Promise.all(Array.from({ length: 20 }, () => claim()))).filter(Boolean);
    expect(claimed).toHaveLength(6);
    expect(new Set(claimed.map(({ id }) => id))).toEqual(created);
  });

  it('is not of jobs that are over', async () => {
    const { jobs, create, claim } = await start();
    const [cancelled, completed, failed] = [await create(anna), await create(ben), await create(cleo)];
    await jobs.cancel(cancelled.id, later());
    const completing = await claim();
    expect(completing.id).toBe(completed.id);
    const failing = await claim();
    expect(failing.id).toBe(failed.id);
    // Their leases are over as well.
    for (const { id, fence } of [completing, failing]) await jobs.beat(id, fence, 0);
    await jobs.complete(completing.id, completing.fence, manifest, later());
    await jobs.fail(failing.id, failing.fence, { error: 'why' }, later());
    expect(await claim()).toBeUndefined();
  });
});

describe('a worker that lost its job', () => {
  it('can neither commit, complete, fail, beat nor give it back', async () => {
    const { jobs, create, claim, commit } = await start();
    await create(anna);
    const old = await claim(0);
    const now = await claim();
    expect(now.id).toBe(old.id);
    const { id, fence } = old;
    const before = await jobs.get(id);
    expect(await commit(old)).toBe(false);
    expect(await jobs.complete(id, fence, manifest, later())).toBe(false);
    expect(await jobs.fail(id, fence, { error: 'why' }, later())).toBe(false);
    expect(await jobs.beat(id, fence, longMs)).toBe(false);
    await jobs.giveBack(id, fence);
    expect(await jobs.get(id)).toEqual(before);
    expect(await jobs.partsOf(id)).toEqual([]);
    // The one that has it can.
    expect(await commit(now, 2)).toBe(true);
    expect(await jobs.complete(id, now.fence, manifest, later())).toBe(true);
    expect(await jobs.get(id)).toMatchObject({ state: 'completed', done: 2, total: 2, bytes: 20, manifest });
  });

  it('can do nothing either once it is cancelled', async () => {
    const { jobs, create, claim, commit } = await start();
    await create(anna);
    const held = await claim();
    const { id, fence } = held;
    expect(await commit(held)).toBe(true);
    expect(await jobs.cancel(id, later())).toBe(true);
    const before = await jobs.get(id);
    expect(await commit(held)).toBe(false);
    expect(await jobs.complete(id, fence, manifest, later())).toBe(false);
    expect(await jobs.fail(id, fence, { error: 'why' }, later())).toBe(false);
    expect(await jobs.beat(id, fence, longMs)).toBe(false);
    await jobs.giveBack(id, fence);
    expect(await jobs.get(id)).toEqual(before);
    expect(before?.state).toBe('cancelled');
    expect(await jobs.cancel(id, later())).toBe(false);
  });
});

describe('a job', () => {
  it('that is given back waits behind the others of its owner, where it stood', async () => {
    const { jobs, create, claim, commit } = await start();
    const [first, second] = [await create(anna), await create(anna)];
    const held = await claim();
    expect(held.id).toBe(first.id);
    await commit(held, 5);
    await jobs.giveBack(held.id, held.fence);
    expect(await jobs.get(first.id)).toMatchObject({ state: 'waiting', done: 5, barren: 0 });
    expect((await claim()).id).toBe(second.id);
    expect(await claim()).toMatchObject({ id: first.id, done: 5, fence: 2 });
  });

  it('counts the workers that did nothing for it since it last moved', async () => {
    const { jobs, create, claim, commit } = await start();
    await create(anna);
    expect([(await claim(0)).barren, (await claim(0)).barren]).toEqual([1, 2]);
    const third = await claim(0);
    expect([third.barren, await commit(third)]).toEqual([3, true]);
    expect((await jobs.get(third.id))?.barren).toBe(0);
    await jobs.beat(third.id, third.fence, 0);
    expect((await claim()).barren).toBe(1);
  });

  it('has its parts in the order in which they were committed', async () => {
    const { jobs, create, claim, commit } = await start();
    await create(anna);
    const held = await claim();
    for (const rows of [3, 1, 2]) expect(await commit(held, rows)).toBe(true);
    expect((await jobs.partsOf(held.id)).map(({ rows }) => rows)).toEqual([3, 1, 2]);
    expect((await jobs.follow(held.id, 1))?.parts.map(({ rows }) => rows)).toEqual([1, 2]);
    expect(await jobs.get(held.id)).toMatchObject({ done: 6, bytes: 60, position: { entries: 2 } });
  });
});

describe('turns', () => {
  it('are of each owner the job that has waited longest', async () => {
    const { turns, create } = await start();
    const first = await create(anna);
    await create(anna);
    const second = await create(ben);
    await create(anna);
    expect((await turns()).map(({ id }) => id.toHexString())).toEqual([first.id, second.id]);
    expect((await turns(1)).map(({ id }) => id.toHexString())).toEqual([first.id]);
  });

  it('are first of those for whom less is under way', async () => {
    const { turns, create, claim } = await start();
    for (const owner of [anna, anna, anna, ben]) await create(owner);
    expect((await claim()).owner).toBe(anna);
    const owners = async () => (await turns()).map(({ owner, active }) => [owner.toHexString(), active]);
    expect(await owners()).toEqual([
      [ben, 0],
      [anna, 1],
    ]);
    expect((await claim()).owner).toBe(ben);
    expect(await owners()).toEqual([[anna, 1]]);
  });

  it('go round: who had one waits until the others who waited had theirs', async () => {
    const { jobs, create, claim } = await start();
    for (const owner of [anna, anna, anna, ben, cleo]) await create(owner);
    const order: string[] = [];
    for (let i = 0; i < 5; i++) {
      const { id, fence, owner } = await claim();
      order.push(owner);
      await jobs.complete(id, fence, manifest, later());
    }
    expect(order).toEqual([anna, ben, cleo, anna, anna]);
  });

  it('are also of jobs whose worker is dead, which count as under way no more', async () => {
    const { turns, create, claim } = await start();
    const { id } = await create(anna);
    await claim(0);
    expect(await turns()).toEqual([{ id: new ObjectId(id), owner: new ObjectId(anna), active: 0 }]);
  });

  it('are of others when they wait and have less under way', async () => {
    const { jobs, create, claim } = await start();
    await create(anna);
    await create(anna);
    const held = await claim();
    // The one that waits is the owner's own.
    expect(await jobs.exports.isOthersTurn(anna)).toBe(false);
    const other = await create(ben);
    expect(await jobs.exports.isOthersTurn(anna)).toBe(true);
    expect((await claim()).id).toBe(other.id);
    expect(await jobs.exports.isOthersTurn(anna)).toBe(false);
    await create(ben);
    // Now each has one.
    expect(await jobs.exports.isOthersTurn(anna)).toBe(false);
    await claim();
    expect(held.owner).toBe(anna);
  });
});

describe('a retry', () => {
  it('lets a failed job wait again where it stands, once, and who had it before can write no more', async () => {
    const { jobs, create, claim, commit } = await start();
    const { id } = await create(anna);
    const held = await claim();
    await commit(held);
    await jobs.fail(id, held.fence, { error: 'broken', isDefect: true }, later());
    const failed = (await jobs.get(id)) as ExportJob;
    const retried = await jobs.exports.retry(failed, false);
    const { error: _, isDefect: __, finishedAt: ___, expiresAt: ____, leaseUntil: _____, ...kept } = failed;
    expect(retried).toEqual({
      ...kept,
      ...{ state: 'waiting', barren: 0, fence: held.fence + 1 },
      queuedAt: expect.any(Date),
      touchedAt: expect.any(Date),
    });
    expect(await jobs.partsOf(id)).toHaveLength(1);
    expect(await jobs.exports.retry(failed, false)).toBeUndefined();

    const again = await claim();
    expect(again).toMatchObject({ id, done: 1, position: { entries: 1 } });
    expect(await commit(held)).toBe(false);
    expect(await jobs.beat(id, held.fence, longMs)).toBe(false);
    expect(await jobs.complete(id, held.fence, manifest, later())).toBe(false);
    expect(await jobs.fail(id, held.fence, { error: 'late' }, later())).toBe(false);
    await jobs.giveBack(id, held.fence);
    expect(await jobs.get(id)).toEqual(again);
    // What was seen before is not what has failed now.
    await jobs.fail(id, again.fence, { error: 'again' }, later());
    expect(await jobs.exports.retry(failed, false)).toBeUndefined();
  });

  it('anew has no part and no position', async () => {
    const { jobs, create, claim, commit } = await start();
    const { id } = await create(anna);
    const held = await claim();
    await commit(held);
    await jobs.fail(id, held.fence, { error: 'broken' }, later());
    await jobs.exports.retry(held, true);
    expect(await claim()).not.toHaveProperty('position');
    expect(await jobs.get(id)).toMatchObject({ done: 0, bytes: 0 });
    expect(await jobs.partsOf(id)).toEqual([]);
  });

  it('keeps a job from going whose time was over', async () => {
    const { jobs, create, claim } = await start();
    const { id } = await create(anna);
    const held = await claim();
    await jobs.fail(id, held.fence, { error: 'broken' }, new Date(0));
    const now = new Date();
    expect(await jobs.expired('export', now, 10)).toEqual([id]);
    await jobs.exports.retry(held, false);
    expect(await jobs.removeExpired(id, now)).toBe(false);
    await jobs.cancel(id, new Date(0));
    expect(await jobs.removeExpired(id, now)).toBe(true);
    expect(await jobs.get(id)).toBeUndefined();
  });
});
