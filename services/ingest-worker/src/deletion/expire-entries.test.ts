import { randomBytes } from 'node:crypto';
import { createLogger } from '@sluice/shared/logger.ts';
import { expect, it } from 'vitest';
import { modelEntries } from '../../../../test/support/model-entries.ts';
import { openStore, ownDatabase } from '../../../../test/support/own-database.ts';
import { until } from '../../../../test/support/sluice.ts';
import { createExpireEntries, restOf } from './expire-entries.ts';

const log = createLogger('test', { level: 'silent', pretty: false });
const never = new AbortController().signal;
const dayMs = 24 * 60 * 60_000;
const auditRetentionMs = 10 * dayMs;
const owner = { id: 'b'.repeat(24), username: 'ada' };

/** Applications with entries of so many days before now, which are kept for so many days. */
async function start(applications: { retentionDays: number | null; ages: number[] }[]) {
  const { db, url } = await ownDatabase();
  const store = openStore(url);
  const models: Awaited<ReturnType<typeof modelEntries>>[] = [];
  const now = Date.now();
  for (const { retentionDays, ages } of applications) {
    const domain = randomBytes(6).toString('hex');
    const fields = { name: 'a', type: 'other', connectors: [], rawSchema: '{}', domain, owner };
    const application = (await store.applications.create(fields))?.id as string;
    await store.applications.update(application, { retentionDays });
    const model = await modelEntries(db, { spacing: 5, application });
    await model.insert(ages.map((days) => now - days * dayMs));
    await model.milestones.set(application, now, 100);
    models.push(model);
  }
  const counts = () => Promise.all(models.map((model) => model.entries.count(model.application, {})));
  const expire = () => createExpireEntries({ store, auditRetentionMs, log });
  return { db, store, models, counts, expire };
}

const ages = Array.from({ length: 40 }, (_, n) => n + 0.5);

it('deletes what is older than its application keeps it, and nothing else', async () => {
  const { models, counts, expire, store } = await start([
    { retentionDays: 30, ages },
    { retentionDays: null, ages },
    { retentionDays: 1, ages: ages.slice(10) },
    { retentionDays: 3_650, ages },
    { retentionDays: 7, ages: [] },
  ]);
  await expire()(never);
  expect(await counts()).toEqual([30, 40, 0, 40, 0]);
  const [first] = models;
  const cutoff = Date.now() - 30 * dayMs;
  first?.forget(
    first
      .all()
      .filter(({ time }) => time < cutoff)
      .map(({ id }) => id),
  );
  const { set, counted } = await (first as NonNullable<typeof first>).ranks();
  expect(set).toEqual(counted);
  const page = await store.audit.page({ user: owner.id }, 10);
  expect(page.map(({ action, details }) => [action, details?.count])).toEqual(
    expect.arrayContaining([
      ['entries.expired', 10],
      ['entries.expired', 30],
    ]),
  );
  expect(page).toHaveLength(2);
});

it('writes one audit record a day for an application', async () => {
  const { models, expire, store } = await start([{ retentionDays: 30, ages }]);
  const run = expire();
  await run(never);
  await models[0]?.insert([Date.now() - 31 * dayMs, Date.now() - 50 * dayMs]);
  await run(never);
  await run(never);
  const page = await store.audit.page({ user: owner.id }, 10);
  // Two, where the day ended between them.
  expect(page.reduce((sum, { details }) => sum + Number(details?.count), 0)).toBe(12);
  expect(page.length).toBeLessThanOrEqual(2);
});

it('deletes each entry once when several workers look at the same time', async () => {
  const { expire, counts, store } = await start([{ retentionDays: 10, ages }]);
  await Promise.all([expire(), expire(), expire()].map((run) => run(never)));
  await until(async () => (await counts())[0] === 10);
  const page = await store.audit.page({ user: owner.id }, 10);
  expect(page.reduce((sum, { details }) => sum + Number(details?.count), 0)).toBe(30);
});

it('leaves an application to the worker that has it, until its lease is over', async () => {
  const { expire, counts, store, models } = await start([{ retentionDays: 10, ages }]);
  const id = models[0]?.application as string;
  expect(await store.deletions.lease(id, 'another', 60_000)).toBe(true);
  expect(await store.deletions.lease(id, 'another', 60_000)).toBe(true);
  await expire()(never);
  expect(await counts()).toEqual([40]);
  await store.deletions.lease(id, 'another', 0);
  await expire()(never);
  expect(await counts()).toEqual([10]);
});

it('stops when told to, and goes on with the next application when one fails', async () => {
  const { store, counts, expire, models } = await start([
    { retentionDays: 10, ages },
    { retentionDays: 10, ages },
  ]);
  await expire()(AbortSignal.abort());
  expect(await counts()).toEqual([40, 40]);
  const deletions: typeof store.deletions = {
    ...store.deletions,
    remove: (id, ...rest) =>
      id === models[0]?.application
        ? Promise.reject(new Error('fails'))
        : store.deletions.remove(id, ...rest),
  };
  await createExpireEntries({ store: { ...store, deletions }, auditRetentionMs, log })(never);
  expect(await counts()).toEqual([40, 10]);
});

it.each([
  ['nine times as long as it works', { workMs: 100, gainedMs: 3_600_000, applications: 1 }, 900],
  ['less where as much expires meanwhile', { workMs: 100, gainedMs: 400, applications: 1 }, 300],
  ['less where other applications have their turn too', { workMs: 100, gainedMs: 800, applications: 4 }, 100],
  ['not at all where it falls behind', { workMs: 500, gainedMs: 400, applications: 1 }, 0],
])('rests %s', (_how, pace, rest) => {
  expect(restOf(pace)).toBe(rest);
});
