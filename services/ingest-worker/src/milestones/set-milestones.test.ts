import { randomBytes } from 'node:crypto';
import { createLogger } from '@sluice/shared/logger.ts';
import { type MilestoneStore, milestoneStore } from '@sluice/store/entries/milestones.ts';
import { expect, it } from 'vitest';
import { modelEntries } from '../../../../test/support/model-entries.ts';
import { openStore, ownDatabase } from '../../../../test/support/own-database.ts';
import { createPurge } from '../purge.ts';
import { createSetMilestones } from './set-milestones.ts';

const log = createLogger('test', { level: 'silent', pretty: false });
const spacing = 5;
const never = new AbortController().signal;
const fields = { name: 'a', type: 'other', connectors: [], rawSchema: '{}' };

/** A pass over applications whose entries have times from 1,000 on, one in each millisecond. */
async function start(counts: number[]) {
  const { db, url } = await ownDatabase();
  const store = openStore(url);
  const owner = { id: 'b'.repeat(24), username: 'b' };
  const milestones = milestoneStore(db, spacing);
  const models: (Awaited<ReturnType<typeof modelEntries>> & { domain: string })[] = [];
  for (const count of counts) {
    const domain = randomBytes(6).toString('hex');
    const application = await store.applications.create({ ...fields, domain, owner });
    const model = await modelEntries(db, { spacing, application: application?.id as string });
    await model.insert(Array.from({ length: count }, (_, n) => 1_000 + n));
    models.push({ ...model, domain });
  }
  return {
    db,
    store,
    models,
    milestones,
    remove: (domain: string) => store.applications.remove(domain, owner.id, 0),
    setMilestones: (options: Partial<Parameters<typeof createSetMilestones>[0]> = {}) =>
      createSetMilestones({
        applications: store.applications,
        milestones,
        horizon: { latest: async () => 2_000, of: async (_id, final) => final },
        log,
        ...options,
      }),
    ranks: () => Promise.all(models.map(async (model) => (await model.ranks()).set.length)),
  };
}

it('sets them for every application that exists, however far it is behind', async () => {
  const { setMilestones, ranks, models, remove } = await start([0, 4, 5, 230, 12, 7]);
  await remove(models.at(-1)?.domain as string);
  await setMilestones()(never);
  expect(await ranks()).toEqual([0, 0, 1, 46, 2, 0]);
});

it('sets what is below the horizon, pass by pass', async () => {
  const { setMilestones, ranks } = await start([23]);
  let bound = 0;
  const pass = setMilestones({ horizon: { latest: async () => bound, of: async (_id, final) => final } });
  const seen: number[] = [];
  for (bound of [0, 1_003, 1_004, 1_005, 1_001, 1_005, 1_009, 1_012, 1_023]) {
    await pass(never);
    seen.push(...(await ranks()));
  }
  expect(seen).toEqual([0, 0, 0, 1, 1, 1, 1, 2, 4]);
});

it('sets them again where they were removed for older entries, though nothing else came', async () => {
  const { setMilestones, ranks, models } = await start([23]);
  const pass = setMilestones();
  for (let i = 0; i < 3; i++) await pass(never);
  expect(await ranks()).toEqual([4]);
  const [model] = models;
  await model?.milestones.removeFrom(model.application, 1_012);
  expect(await ranks()).toEqual([2]);
  await model?.insert([1_012]);
  for (let i = 0; i < 5; i++) await pass(never);
  expect(await ranks()).toEqual([4]);
  const { set, counted } = (await model?.ranks()) ?? {};
  expect(set).toEqual(counted);
});

it('sets none above what is still being written for an application', async () => {
  const { setMilestones, ranks, models } = await start([30, 30]);
  const of = async (id: string, final: number) => (id === models[0]?.application ? 1_012 : final);
  await setMilestones({ horizon: { latest: async () => 2_000, of } })(never);
  expect(await ranks()).toEqual([2, 6]);
});

it('goes on with the next application when one fails', async () => {
  const { setMilestones, ranks, milestones, models } = await start([30, 30, 30]);
  const failing: MilestoneStore = {
    ...milestones,
    set: (id, ...rest) =>
      id === models[1]?.application ? Promise.reject(new Error('fails')) : milestones.set(id, ...rest),
  };
  await setMilestones({ milestones: failing })(never);
  expect(await ranks()).toEqual([6, 0, 6]);
});

it('may run in two workers that know nothing of each other', async () => {
  const { setMilestones, ranks } = await start([230, 12, 64]);
  const [one, other] = [setMilestones(), setMilestones()];
  await Promise.all([one(never), other(never)]);
  await Promise.all([one(never), other(never)]);
  expect(await ranks()).toEqual([46, 2, 12]);
});

it('counts each entry once, and leaves an application alone for a while to which nothing has come', async () => {
  const { setMilestones, milestones } = await start([7, 3]);
  const asked: string[] = [];
  const watched: MilestoneStore = {
    ...milestones,
    countAbove: (...all) => {
      asked.push('count');
      return milestones.countAbove(...all);
    },
    set: (...all) => {
      asked.push('setMilestones');
      return milestones.set(...all);
    },
  };
  let bound = 0;
  const pass = setMilestones({
    milestones: watched,
    horizon: { latest: async () => bound, of: async (_id, final) => final },
  });
  const passes: string[] = [];
  for (bound of [1_004, 1_004, 1_002, 1_004, 1_006, 1_007, 1_008, 1_009, 1_010, 1_011, 1_012]) {
    asked.length = 0;
    await pass(never);
    passes.push(asked.join(' '));
  }
  expect(passes).toEqual([
    ...['count count', '', '', '', 'count setMilestones count'],
    ...['count', 'count', '', 'count', '', 'count'],
  ]);
});

it('stops when told to', async () => {
  const { setMilestones, ranks } = await start([30, 30]);
  await setMilestones()(AbortSignal.abort());
  expect(await ranks()).toEqual([0, 0]);
});

it('leaves nothing of an application that is purged', async () => {
  const { db, setMilestones, store, milestones, models, remove } = await start([30, 30]);
  await setMilestones()(never);
  const [gone, stays] = models;
  await remove(gone?.domain as string);
  const purge = createPurge({ store: { ...store, milestones }, graceMs: -1_000, log });
  await purge({ applicationId: gone?.application as string }, never);
  expect(await db.collection('milestones').countDocuments()).toBe(6);
  expect(await stays?.entries.count(stays.application, {})).toBe(30);
});
