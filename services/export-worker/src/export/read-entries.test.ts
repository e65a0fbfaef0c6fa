import { idOf } from '@sluice/bson/entry.ts';
import { createExpireEntries } from '@sluice/ingest-worker/deletion/expire-entries.ts';
import type { Store } from '@sluice/jobs/connect.ts';
import type { ExportOptions } from '@sluice/jobs/record/export-record.ts';
import { folderStore } from '@sluice/objects/folder-store.ts';
import { readLake } from '@sluice/objects/lake/read-lake.ts';
import { type ObjectStore, ObjectStoreError } from '@sluice/objects/object-store.ts';
import { createLogger } from '@sluice/shared/logger.ts';
import { type Condition, toText } from '@sluice/store/entries/entry-filter.ts';
import { createKeysAt, highestId, idOfKey } from '@sluice/store/entries/entry-id.ts';
import fc from 'fast-check';
import { ObjectId } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { archiveRuns } from '../../../../test/support/archive-runs.ts';
import { fileOf } from '../../../../test/support/export-client.ts';
import { claim, createClaimed, writerOn } from '../../../../test/support/export-writer.ts';
import { payloadOf } from '../../../../test/support/payload-of.ts';
import { runs as times } from '../../../../test/support/runs.ts';
import { compact } from '../../../admin/src/archives/compact.ts';
import { createReadEntries } from './read-entries.ts';

const log = createLogger('test', { level: 'silent', pretty: false });
const never = new AbortController().signal;
const keysAt = createKeysAt();
const dayMs = 86_400_000;
const days = 60;
const key = 'c'.repeat(24);

/** Values that a line of JSON, a filter or a column could get wrong. */
const payload = (n: number): string =>
  [
    `{"n":${n},"text":"x${n % 7}"}`,
    `{"n":${n},"text":"\\u0001\\"ü,\\n","big":9007199254740993,"10":1,"2":[]}`,
    `{"n":${n},"toBSON":"$$ROOT","nested":{"$gt":"$n","a.b":null},"half":${n}.5}`,
    `{"n":${n},"text":"$n","list":[1,{"id":"{\\"id\\":\\""},"payload"],"payload":{"text":",\\"payload\\":"}}`,
    `{"n":${n},"zero":-0.0,"small":1e-7,"large":1e300}`,
  ][n % 5] as string;

/** An application whose entries lie within the last days, with an archive. */
async function start({ count, span = days }: { count: number; span?: number }) {
  const runs = await archiveRuns();
  const { db, store, application, domain, owner, root } = runs;
  const archive = await runs.create();
  const sender = await store.senders.numberOf(application, { source: 'batch', key });
  await store.fields.add(application, [
    ...['/text', '/big', '/10', '/2', '/toBSON', '/nested/$gt', '/nested/a.b', '/half'],
    ...['/list', '/payload/text', '/zero', '/small', '/large', ''],
  ]);
  let made = 0;

  /** `announced`: as an import with old times. */
  async function insertAt(at: number[], announced?: number): Promise<string[]> {
    const entries = at.map((time) => ({
      key: keysAt(Buffer.from(application, 'hex'), time),
      ...payloadOf(payload(made)),
      version: 1,
      by: made++ % 3 === 0 ? sender : 0,
      ...(announced !== undefined && { announced }),
    }));
    const outcomes = await store.entries.insertKeyed(entries);
    expect(new Set(outcomes)).toEqual(new Set(['stored']));
    return entries.map(({ key }) => idOfKey(key));
  }

  /** Takes away what is older, through stores that may fail. */
  async function expire(retentionDays: number, stores: Store = store): Promise<void> {
    await store.applications.update(application, { retentionDays, retentionArchive: archive.id });
    await createExpireEntries({ store: stores, auditRetentionMs: dayMs, log })(never);
    // For the next worker.
    await db.collection('deletions').updateMany({}, { $unset: { holder: '', leaseUntil: '' } });
  }

  async function makeExport(
    options: Partial<Omit<ExportOptions, 'filter'>> & { filter?: Condition[] } = {},
    stores: Store = store,
    openObjects = (): ObjectStore => folderStore(root),
  ): Promise<{ bytes: Buffer; rows: number }> {
    const { until, announced } = await store.rawEntries.cut(application);
    const { pointers } = await store.fields.of(application);
    const job = await createClaimed(
      store,
      {
        application,
        owner: owner.id,
        domain,
        transient: false,
        version: 1,
        options: {
          format: 'ndjson',
          formulas: 'escape',
          arrays: 'json',
          meta: ['id', 'schema_version', 'source', 'key'],
          ...options,
          filter: options.filter && toText(options.filter),
        },
        leafCount: pointers.length,
        hasLarge: true,
        cut: until,
        announced,
      },
      600_000,
    );
    // A ZIP has the time of its job.
    const { rows } = await writerOn(stores, openObjects)({ ...job, createdAt: new Date(0) }, claim);
    await store.jobs.complete(job.id, job.fence, undefined, new Date(now + dayMs));
    return { bytes: await fileOf(store, job.id), rows };
  }

  const idsOf = ({ bytes }: { bytes: Buffer }): string[] =>
    bytes
      .toString()
      .split('\n')
      .slice(0, -1)
      .map((line) => line.slice(7, 35));

  const now = Date.now();
  const first = await insertAt(
    Array.from(
      { length: count },
      (_, n) => now - span * dayMs + Math.floor(((n + 0.5) * span * dayMs) / count),
    ),
  );
  /** As an import does. */
  const insertLate = async (at: number[]): Promise<string[]> =>
    insertAt(at, await store.milestones.removeFrom(application, Math.min(...at)));

  /** The ids in the archive, without deleted ones. */
  async function archivedIds(): Promise<string[]> {
    const removed = new Set<string>();
    for await (const { id } of store.removals.between(application, 0, Number.MAX_SAFE_INTEGER))
      removed.add(id);
    const { run, manifests } = await runs.current(archive);
    const place = { store: folderStore(root), folder: domain, temporary: runs.temporary };
    const lines = await Array.fromAsync(readLake(place, { run, manifests, until: highestId, removed }));
    return lines.map(({ id }) => id);
  }

  return { ...runs, archive, first, insertAt, insertLate, expire, makeExport, idsOf, archivedIds, now };
}

const period = (now: number, from: number, to: number) => ({
  from: new Date(now - from * dayMs),
  to: new Date(now - to * dayMs),
});

describe('an export across the border', () => {
  it('has the same bytes as one that was made before', async () => {
    const { store, application, db, now, insertLate, ...own } = await start({ count: 1_000 });
    await own.run(own.archive);
    await insertLate([now - 50 * dayMs, now - 45 * dayMs, now - 2 * dayMs]);
    for (const at of [1, 300, 999]) await store.deletions.removeOne(application, own.first[at] as string);
    const filters: Condition[][] = [
      [{ path: ['text'], operator: 'contains', value: '$N' }],
      [{ path: ['big'], operator: 'eq', value: 9_007_199_254_740_993n }],
      [
        { path: ['nested', 'a.b'], operator: 'eq', value: null },
        { path: ['half'], operator: 'gt', value: 99 },
      ],
      [{ senders: [1], key: 'k' }],
      [{ path: ['n'], operator: 'in', value: [3, 700, 999] }],
    ];
    const asked = [
      {},
      { format: 'csv' as const },
      { format: 'csv' as const, arrays: 'rows' as const },
      { format: 'csv' as const, arrays: 'columns' as const, meta: undefined },
      { format: 'parquet' as const },
      { format: 'csv' as const, columns: ['id', 'n', 'createdAt'], meta: ['id' as const] },
      { ...period(now, 40, 20) },
      { ...period(now, 35, 25), format: 'csv' as const },
      { ...period(now, 20, 10) },
      ...filters.map((filter) => ({ filter })),
    ];
    const before = [];
    for (const options of asked) before.push(await own.makeExport(options));
    await own.expire(30);
    const { archivedUntil } = (await store.applications.byId(application)) ?? {};
    // The late ones are in no run yet.
    expect(await store.entries.count(application, {})).toBe(500 + 2);
    expect(archivedUntil).toBe(own.first[499]);
    for (const [at, options] of asked.entries()) expect(await own.makeExport(options)).toEqual(before[at]);
    await own.run(own.archive);
    // The late ones are in both now.
    expect(await own.makeExport()).toEqual(before[0]);
    await own.expire(20);
    expect(await store.entries.count(application, {})).toBe(333);
    for (const [at, options] of asked.entries()) expect(await own.makeExport(options)).toEqual(before[at]);
    expect(before.every(({ rows }) => rows > 0)).toBe(true);
    // What is moved is not deleted.
    expect(await db.collection('removals').countDocuments()).toBe(0);
    expect(await own.archivedIds()).toEqual(own.idsOf(before[0] as { bytes: Buffer }));
  });

  it.each([
    ['page', 1],
    ['page', 2],
    ['page', 3],
    ['page', 4],
    ['get', 1],
    ['get', 2],
    ['read', 1],
    ['read', 2],
    ['read', 3],
  ] as const)('has each entry once when they move before %s %i of its reading', async (what, at) => {
    const { store, application, now, insertLate, ...own } = await start({ count: 1_200, span: 12 });
    await own.run(own.archive);
    await own.expire(11);
    // Below the border and above it, and in no run yet.
    await insertLate(Array.from({ length: 20 }, (_, n) => now - 11.9 * dayMs + n * dayMs * 0.3));
    const expected = own.idsOf(await own.makeExport());
    let steps = 0;
    const before = <Given extends unknown[], Result>(
      which: typeof what,
      read: (...given: Given) => Promise<Result>,
    ) =>
      (async (...given: Given) => {
        if (which === what) steps += 1;
        if (which === what && steps === at) {
          await own.expire(8);
          await own.run(own.archive);
          await own.expire(5);
        }
        return read(...given);
      }) as typeof read;
    const stores = {
      ...store,
      rawEntries: { ...store.rawEntries, page: before('page', store.rawEntries.page) },
      archives: { ...store.archives, get: before('get', store.archives.get) },
    };
    const objects = folderStore(own.root);
    const openObjects = () => ({ ...objects, read: before('read', objects.read) });
    expect(own.idsOf(await own.makeExport({}, stores, openObjects))).toEqual(expected);
    expect(steps).toBeGreaterThanOrEqual(at);
    expect(await store.entries.count(application, {})).toBe(500);
  });

  it('has all entries once MongoDB has none', async () => {
    const { store, application, ...own } = await start({ count: 100 });
    await own.run(own.archive);
    await own.expire(1);
    const young = await own.storedIds();
    for (const id of young) await store.deletions.removeOne(application, id);
    expect(own.idsOf(await own.makeExport())).toEqual(own.first.slice(0, -young.length));
  });

  it('fails with what to do while the archive is away', async () => {
    const { store, ...own } = await start({ count: 100 });
    await own.run(own.archive);
    await own.expire(30);
    const openObjects = () => {
      throw new ObjectStoreError('the bucket lake is away: try again later');
    };
    await expect(own.makeExport({}, store, openObjects)).rejects.toThrow(
      `the entries of the archive ${own.archive.id} cannot be read: the bucket lake is away: try again later`,
    );
    const young = await own.makeExport(period(own.now, 20, 10), store, openObjects);
    expect(young.rows).toBeGreaterThan(0);
  });
});

it('a backup from before they moved has each entry once, and says how to go on', async () => {
  const { store, application, ...own } = await start({ count: 200 });
  await own.run(own.archive);
  await own.expire(50);
  const backup = await own.backUp();
  const expected = own.idsOf(await own.makeExport());
  await own.insert(10);
  await own.run(own.archive);
  await own.expire(30);
  const { store: restored, ...after } = await archiveRuns(backup);
  const { until, announced } = await restored.rawEntries.cut(application);
  const read = createReadEntries({
    store: restored,
    openObjects: () => folderStore(own.root),
    folder: own.temporary,
  });
  const ids: string[] = [];
  for await (const { documents } of read(
    { application, domain: own.domain, followsArchive: true },
    { until: until as string, announced },
  ))
    ids.push(...documents.map(idOf));
  expect(ids).toEqual(expected);
  await expect(after.run(own.archive)).rejects.toThrow(
    /000002\.json is there already, from before a restore: move away this manifest .* leave all others/,
  );
});

const step = fc.oneof(
  fc.record({
    what: fc.constant('late' as const),
    age: fc.integer({ min: 1, max: days }),
    count: fc.integer({ min: 1, max: 30 }),
  }),
  fc.record({ what: fc.constant('upload' as const), count: fc.integer({ min: 1, max: 30 }) }),
  fc.record({ what: fc.constant('delete' as const), place: fc.nat(999) }),
  fc.record({ what: fc.constant('deleteAndStore' as const), place: fc.nat(999) }),
  fc.constant({ what: 'run' as const }),
  fc.constant({ what: 'compact' as const }),
  fc.record({ what: fc.constant('expire' as const), age: fc.integer({ min: 1, max: days }) }),
  fc.record({
    what: fc.constant('killed' as const),
    age: fc.integer({ min: 1, max: days }),
    late: fc.boolean(),
  }),
);

it('no entry is in neither, whatever is imported, deleted, archived, compacted and killed in any order', async () => {
  const property = fc.asyncProperty(fc.array(step, { minLength: 15, maxLength: 15 }), async (all) => {
    const { store, application, now, ...own } = await start({ count: 100 });
    const ids = new Set(own.first);
    await own.run(own.archive);
    for (const one of all) {
      if (one.what === 'late') {
        const times = Array.from(
          { length: one.count },
          (_, n) => now - one.age * dayMs + n * 3_600_000 * 0.5,
        );
        for (const id of await own.insertLate(times)) ids.add(id);
      } else if (one.what === 'upload') {
        const before = new Set(await own.storedIds());
        await own.insert(one.count);
        for (const id of await own.storedIds()) if (!before.has(id)) ids.add(id);
      } else if (one.what === 'delete') {
        const stored = await own.storedIds();
        const id = stored[one.place % Math.max(1, stored.length)];
        if (id && (await store.deletions.removeOne(application, id))) ids.delete(id);
      } else if (one.what === 'deleteAndStore') {
        // As an import does whose worker dies.
        const found = await own.db.collection('entries').find().sort({ _id: 1 }).toArray();
        const entry = found[one.place % Math.max(1, found.length)];
        if (entry) {
          await store.deletions.removeOne(application, idOfKey(entry._id as never));
          await own.db.collection('entries').insertOne(entry);
        }
      } else if (one.what === 'run') await own.run(own.archive);
      else if (one.what === 'compact') await compact(store, folderStore(own.root), own.archive, own.domain);
      else if (one.what === 'expire') await own.expire(one.age);
      else {
        // Within its transaction, or behind it.
        const audit = { ...store.audit, countOfDay: () => Promise.reject(new Error('killed')) };
        const deletions: typeof store.deletions = {
          ...store.deletions,
          async remove(...given) {
            await store.deletions.remove(...given);
            throw new Error('killed');
          },
        };
        await own.expire(one.age, one.late ? { ...store, deletions } : { ...store, audit });
      }
      expect(own.idsOf(await own.makeExport())).toEqual([...ids].toSorted());
    }
    await own.run(own.archive);
    const both = new Set([...(await own.archivedIds()), ...(await own.storedIds())]);
    expect([...both].toSorted()).toEqual([...ids].toSorted());
  });
  await fc.assert(property, { ...times(3, 4), endOnFailure: true });
}, 600_000);

describe('entries move', () => {
  it('only when all archives have them', async () => {
    const { store, application, ...own } = await start({ count: 100 });
    const count = () => store.entries.count(application, {});
    await own.expire(30);
    expect(await count()).toBe(100);
    await own.run(own.archive);
    const other = await own.create({ format: 'parquet' });
    await own.expire(30);
    expect(await count()).toBe(100);
    await store.archives.remove(application, other.id);
    await own.expire(30);
    expect(await count()).toBe(50);
    const [page] = await store.audit.page({ user: own.owner.id }, 1);
    expect([page?.action, page?.details?.count]).toEqual(['entries.archived', 50]);
  });

  it('not while an import could store them again', async () => {
    const { store, db, application, ...own } = await start({ count: 10 });
    await own.run(own.archive);
    const job = { kind: 'import', application: new ObjectId(application), state: 'active' };
    const { insertedId: _id } = await db.collection('jobs').insertOne(job);
    await own.expire(30);
    expect(await store.entries.count(application, {})).toBe(10);
    // It can be retried.
    await db.collection('jobs').updateOne({ _id }, { $set: { state: 'failed' } });
    await own.expire(30);
    expect(await store.entries.count(application, {})).toBe(10);
    await db.collection('jobs').updateOne({ _id }, { $set: { state: 'completed' } });
    await own.expire(30);
    expect(await store.entries.count(application, {})).toBe(5);
  });

  it('not before a run has seen that they were stored again after their deletion', async () => {
    const { store, db, application, ...own } = await start({ count: 10 });
    await own.run(own.archive);
    const entry = await db.collection('entries').find().sort({ _id: 1 }).next();
    await store.deletions.removeOne(application, own.first[0] as string);
    await db.collection('entries').insertOne(entry as never);
    await own.expire(30);
    expect(await store.entries.count(application, {})).toBe(10);
    await own.run(own.archive);
    await own.expire(30);
    expect(await store.entries.count(application, {})).toBe(5);
    expect(own.idsOf(await own.makeExport())).toEqual(own.first);
  });

  it('not while an export reads them that began before, which does not ask for them', async () => {
    const { store, application, ...own } = await start({ count: 1_000 });
    await own.run(own.archive);
    let asked = 0;
    let pages = 0;
    const stores: Store = {
      ...store,
      applications: {
        ...store.applications,
        async archived(id) {
          asked += 1;
          return store.applications.archived(id);
        },
      },
      rawEntries: {
        ...store.rawEntries,
        async page(...given) {
          pages += 1;
          if (pages === 2) await own.expire(30);
          return store.rawEntries.page(...given);
        },
      },
    };
    expect(own.idsOf(await own.makeExport({}, stores))).toEqual(own.first);
    expect(pages).toBeGreaterThanOrEqual(2);
    expect(asked).toBe(0);
    expect(await store.entries.count(application, {})).toBe(1_000);
    await own.expire(30);
    expect(await store.entries.count(application, {})).toBe(500);
    expect(own.idsOf(await own.makeExport({}, stores))).toEqual(own.first);
    expect(asked).toBeGreaterThan(0);
  });

  it('as their application says now', async () => {
    const { store, application, ...own } = await start({ count: 10 });
    await own.run(own.archive);
    await store.applications.update(application, { retentionDays: 30 });
    // The settings change after the worker has read them.
    const applications: typeof store.applications = {
      ...store.applications,
      async expiring() {
        const found = await store.applications.expiring();
        await store.applications.update(application, { retentionArchive: own.archive.id });
        return found;
      },
    };
    await createExpireEntries({ store: { ...store, applications }, auditRetentionMs: dayMs, log })(never);
    expect(await store.entries.count(application, {})).toBe(10);
  });

  it('into an archive that stays', async () => {
    const { store, application, ...own } = await start({ count: 10 });
    const other = await own.create({});
    await own.run(own.archive);
    await own.run(other).catch(() => undefined);
    expect(
      await store.applications.update(application, { retentionArchive: 'd'.repeat(24) }),
    ).toBeUndefined();
    await store.archives.remove(application, other.id);
    await own.expire(30);
    expect(await store.archives.remove(application, own.archive.id)).toBe(false);
    expect(await store.applications.update(application, { retentionArchive: null })).toBeUndefined();
    expect(await store.applications.update(application, { retentionDays: null })).toBeDefined();
  });
});
