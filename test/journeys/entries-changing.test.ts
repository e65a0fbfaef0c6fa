import { deletionKind } from '@sluice/ingest-worker/deletion/deletion-kind.ts';
import { createExpireEntries } from '@sluice/ingest-worker/deletion/expire-entries.ts';
import type { Store } from '@sluice/jobs/connect.ts';
import { timings } from '@sluice/jobs/queue/queues.ts';
import type { DeletionJob } from '@sluice/jobs/record/job-records.ts';
import { createRun } from '@sluice/jobs/run.ts';
import { createLogger } from '@sluice/shared/logger.ts';
import type { ApplicationRecord } from '@sluice/store/applications/applications.ts';
import { toText } from '@sluice/store/entries/entry-filter.ts';
import { createKeysAt, fromKey } from '@sluice/store/entries/entry-id.ts';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { fileOf } from '../support/export-client.ts';
import { claim, createClaimed, writerOn } from '../support/export-writer.ts';
import { modelEntries } from '../support/model-entries.ts';
import { openStore, ownDatabase } from '../support/own-database.ts';
import { payloadOf } from '../support/payload-of.ts';
import { runs } from '../support/runs.ts';

/** Of each run; the long one is FUZZ_RUNS=200. */
const steps = 50;
const spacing = 4;
const groups = 5;
/** Numbers of senders, from 0: none. */
const senders = 3;
const dayMs = 24 * 60 * 60_000;
/** How far back the first entries lie: those of a year are too many. */
const days = 60;
const log = createLogger('test', { level: 'silent', pretty: false });
const never = new AbortController().signal;
const owner = { id: 'b'.repeat(24), username: 'b' };
const noMetrics = { completed() {}, failed() {}, cancelled() {} };

const place = fc.nat(999);
const bounds = {
  from: fc.option(place, { nil: undefined }),
  to: fc.option(place, { nil: undefined }),
};
const step = fc.oneof(
  fc.record({ what: fc.constant('upload' as const), hours: fc.array(fc.nat(24), { maxLength: 20 }) }),
  fc.record({ what: fc.constant('upload' as const), hours: fc.array(fc.nat(24), { maxLength: 20 }) }),
  fc.record({ what: fc.constant('settle' as const), hours: fc.nat(48) }),
  fc.record({ what: fc.constant('delete one' as const), place }),
  fc.record({
    what: fc.constant('delete' as const),
    ...bounds,
    group: fc.option(fc.nat(groups - 1), { nil: undefined }),
  }),
  fc.record({ what: fc.constant('expire' as const), days: fc.integer({ min: 1, max: days }) }),
  fc.record({ what: fc.constant('fold' as const) }),
  fc.record({ what: fc.constant('publish' as const) }),
  fc.record({ what: fc.constant('restore' as const) }),
  fc.record({
    what: fc.constant('export' as const),
    ...bounds,
    by: fc.option(fc.nat(senders - 1), { nil: undefined }),
  }),
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;
const question = fc.record({
  start: fc.nat(80),
  limit: fc.integer({ min: 1, max: 30 }),
  before: place,
  by: fc.nat(senders - 1),
  ...bounds,
});
type Question = typeof question extends fc.Arbitrary<infer Q> ? Q : never;

interface Entry {
  id: string;
  time: number;
  n: number;
  version: number;
}

const schemaOf = (version: number) => {
  const names = ['n', 'group', ...Array.from({ length: version - 1 }, (_, i) => `f${i + 2}`)];
  return JSON.stringify({
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, { type: 'integer' }])),
  });
};

async function createWorld(
  store: Store,
  domain: string,
  makeModel: (application: string) => ReturnType<typeof modelEntries>,
) {
  const fields = { name: 'a', type: 'other', connectors: [], rawSchema: schemaOf(1), domain, owner };
  let application = (await store.applications.create(fields)) as ApplicationRecord;
  const { id } = application;
  const { entries, milestones } = await makeModel(id);
  const own = { ...store, entries, milestones };
  const expireEntries = createExpireEntries({ store: own, auditRetentionMs: dayMs, log });
  const deleteEntries = createRun(
    {
      queue: { moveUp: async () => {}, isOutweighed: async () => false },
      store: own,
      retentionMs: dayMs,
      timings,
      metrics: noMetrics,
      log,
    },
    deletionKind({ store: own, leaseMs: timings.leaseMs, log }),
  );
  const keyAt = createKeysAt();
  const began = Date.now() - days * dayMs;
  let bound = began;
  let made = 0;
  let exported = new Set<string>();
  /** Oldest first. */
  let all: Entry[] = [];

  /** A time of the entries that there are, or beside them. */
  const timeOf = (at: number | undefined) =>
    at === undefined ? undefined : new Date(began + ((bound + dayMs - began) * at) / 1_000);
  const within = ({ from, to }: { from?: Date | undefined; to?: Date | undefined }) =>
    all.filter(({ time }) => (!from || time >= from.getTime()) && (!to || time < to.getTime()));
  const forget = (gone: Entry[]) => {
    all = all.filter((entry) => !gone.includes(entry));
  };

  async function upload(hours: number[]): Promise<void> {
    const batch = hours.map((hour) => {
      const time = bound + (hour * dayMs) / 24;
      const key = keyAt(Buffer.from(id, 'hex'), time);
      const n = made++;
      const { version } = application;
      all.push({ id: fromKey(key).id, time, n, version });
      return {
        key,
        version,
        by: n % senders,
        ...payloadOf({ n, group: n % groups, ...(version > 1 && { [`f${version}`]: n }) }),
      };
    });
    all.sort((a, b) => (a.id < b.id ? -1 : 1));
    if (batch.length > 0)
      expect(new Set(await store.entries.insertKeyed(batch))).toEqual(new Set(['stored']));
  }

  async function deleteSome({
    from: fromAt,
    to: toAt,
    group,
  }: Extract<Step, { what: 'delete' }>): Promise<void> {
    const period = { from: timeOf(fromAt), to: timeOf(toAt) };
    const gone = within(period).filter(({ n }) => group === undefined || n % groups === group);
    const filter =
      group === undefined ? undefined : toText([{ path: ['group'], operator: 'eq', value: group }]);
    const options = { ...period, filter };
    const job = await store.jobs.create<'deletion'>({
      kind: 'deletion',
      application: id,
      owner: owner.id,
      domain,
      options,
    });
    await deleteEntries({ jobId: job.id }, never, () => {});
    const done = (await store.jobs.get(job.id)) as DeletionJob;
    expect([done.state, done.result]).toEqual(['completed', { deleted: gone.length }]);
    forget(gone);
  }

  async function expire(retentionDays: number): Promise<void> {
    await store.applications.update(id, { retentionDays });
    const before = Date.now() - retentionDays * dayMs;
    await expireEntries(never);
    await store.applications.update(id, { retentionDays: null });
    // Times are whole hours behind the begin: none lies between the two looks at the clock.
    forget(all.filter(({ time }) => time < before));
  }

  async function publish(): Promise<void> {
    const version = application.version + 1;
    const published = await store.schemas.publish(application, {
      rawSchema: schemaOf(version),
      createdBy: 'b',
      fields: [`/f${version}`],
    });
    application = published as ApplicationRecord;
  }

  async function restore(): Promise<void> {
    expect(await store.applications.remove(domain, owner.id, dayMs)).toBeDefined();
    expect(await store.applications.restore(domain, owner.id)).toBe(true);
  }

  async function exportSome({
    from: fromAt,
    to: toAt,
    by,
  }: Extract<Step, { what: 'export' }>): Promise<void> {
    const period = { from: timeOf(fromAt), to: timeOf(toAt) };
    const options = {
      ...period,
      filter: by ? toText([{ senders: [by], key: '' }]) : undefined,
      format: 'csv',
      formulas: 'escape',
      arrays: 'json',
      meta: ['id', 'schema_version'],
    } as const;
    const { pointers } = await store.fields.of(id);
    const job = await createClaimed(
      store,
      {
        application: id,
        owner: owner.id,
        domain,
        transient: false,
        version: application.version,
        options: { ...options, meta: [...options.meta] },
        leafCount: pointers.length,
        cut: (await store.rawEntries.cut(id)).until,
      },
      600_000,
    );
    const manifest = await writerOn(own)(job, claim);
    const expected = within(period).filter(({ n }) => !by || n % senders === by);
    expect(manifest).toMatchObject({ rows: expected.length });
    const [header = [], ...rows]: string[][] = parse(await fileOf(store, job.id));
    const column = (name: string) => rows.map((row) => row[header.indexOf(name)]);
    expect(column('id')).toEqual(expected.map((entry) => entry.id));
    expect(column('n')).toEqual(expected.map(({ n }) => String(n)));
    if (application.version > 1)
      expect(column('schema_version')).toEqual(expected.map(({ version }) => String(version)));
    expect(exported.difference(new Set(header))).toEqual(new Set());
    exported = new Set(header);
  }

  return {
    async take(one: Step): Promise<void> {
      if (one.what === 'upload') return upload(one.hours);
      if (one.what === 'expire') return expire(one.days);
      if (one.what === 'delete') return deleteSome(one);
      if (one.what === 'export') return exportSome(one);
      if (one.what === 'publish') return publish();
      if (one.what === 'restore') return restore();
      if (one.what === 'fold') return store.deletions.fold(id);
      if (one.what === 'settle') {
        bound += (one.hours * dayMs) / 24;
        await milestones.set(id, bound, 100);
        return;
      }
      const entry = all[Math.floor((one.place * all.length) / 1_000)];
      if (!entry) return;
      expect(await store.deletions.removeOne(id, entry.id)).toBe(true);
      expect(await store.deletions.removeOne(id, entry.id)).toBe(false);
      forget([entry]);
    },

    /** Lists, pages and totals are those of what is left. */
    async expectExact({ start, limit, before: beforeAt, by, ...asked }: Question): Promise<void> {
      expect(await entries.count(id, {})).toBe(all.length);
      expect((await milestones.usage(id)).entries).toBe(all.length);
      const period = { from: timeOf(asked.from), to: timeOf(asked.to) };
      expect(await entries.count(id, period)).toBe(within(period).length);
      const newestFirst = within(period).reverse();
      const { entries: page } = await entries.page(id, { ...period, start, limit });
      expect(page.map(({ id, version }) => ({ id, version }))).toEqual(
        newestFirst.slice(start, start + limit).map(({ id, version }) => ({ id, version })),
      );
      const filter = [{ senders: by ? [by] : [], key: '' }];
      const sent = newestFirst.filter(({ n }) => by && n % senders === by);
      const ofSender = await entries.page(id, { ...period, filter, start, limit });
      expect([ofSender.total, ofSender.entries.map((entry) => [entry.id, entry.by])]).toEqual([
        sent.length,
        sent.slice(start, start + limit).map((entry) => [entry.id, by]),
      ]);
      const before = all[Math.floor((beforeAt * all.length) / 1_000)]?.id;
      if (!before) return;
      const below = newestFirst.filter((entry) => entry.id < before);
      const { entries: further } = await entries.page(id, { ...period, before, start: 0, limit });
      expect(further.map((entry) => entry.id)).toEqual(below.slice(0, limit).map((entry) => entry.id));
    },
  };
}

it('lists, totals, pages, cursors and exports are those of a model, whatever comes and goes', async () => {
  const { db, url } = await ownDatabase();
  const store = openStore(url);
  await store.prepare();
  let worlds = 0;
  const run = fc.asyncProperty(
    fc.array(fc.tuple(step, question), { minLength: steps, maxLength: steps }),
    async (taken) => {
      const domain = `a-${worlds++}`;
      const world = await createWorld(store, domain, (application) =>
        modelEntries(db, { spacing, application }),
      );
      for (const [one, asked] of taken) {
        await world.take(one);
        await world.expectExact(asked);
      }
      await store.applications.remove(domain, owner.id, 0);
    },
  );
  // Each step costs some requests: the steps that fail are told, not shrunk.
  await fc.assert(run, { ...runs(1, 2), endOnFailure: true });
}, 3_600_000);
