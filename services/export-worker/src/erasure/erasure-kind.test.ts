import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createExpireEntries } from '@sluice/ingest-worker/deletion/expire-entries.ts';
import type { Store } from '@sluice/jobs/connect.ts';
import { Postpone } from '@sluice/jobs/queue/consumer.ts';
import type { ErasureJob } from '@sluice/jobs/record/erasure-record.ts';
import type { JobRecord } from '@sluice/jobs/record/job-records.ts';
import { toJob } from '@sluice/jobs/record/to-job.ts';
import { folderStore } from '@sluice/objects/folder-store.ts';
import { createLogger } from '@sluice/shared/logger.ts';
import { folderOf } from '@sluice/store/archives/archive-records.ts';
import { toText } from '@sluice/store/entries/entry-filter.ts';
import { createKeysAt, idOfKey } from '@sluice/store/entries/entry-id.ts';
import { expect, it } from 'vitest';
import { archiveRuns, ownTurn } from '../../../../test/support/archive-runs.ts';
import { manifestsIn, readLake, rowsOf } from '../../../../test/support/lake.ts';
import { refusedUpload } from '../../../../test/support/many-refused.ts';
import { payloadOf } from '../../../../test/support/payload-of.ts';
import { erasureKind } from './erasure-kind.ts';

const log = createLogger('test', { level: 'silent', pretty: false });
const never = new AbortController().signal;

async function start() {
  const runs = await archiveRuns();
  const { db, store, application, domain, owner, root, temporary } = runs;
  const ofApplication = { application, owner: owner.id, domain };

  const insert = (payloads: object[]) =>
    store.entries.insert(payloads.map((payload) => ({ application, version: 1, ...payloadOf(payload) })));

  const refuse = (texts: string[], reason?: 'not_json') =>
    store.refused.keep(texts.map((payload) => refusedUpload(application, payload, { reason })));

  const refusedTexts = async () =>
    (await Array.fromAsync(store.refused.all(application, {}))).map(({ payload }) => payload);

  const create = (value: (string | number)[], byValue: boolean) =>
    store.jobs.create<'erasure'>({
      kind: 'erasure',
      ...ofApplication,
      options: { by: 'b', byValue, target: toText([{ path: ['id'], operator: 'in', value }]) },
    });

  /** Lets one worker do the job. */
  async function work(job: ErasureJob, stores: Store = store): Promise<ErasureJob> {
    const times = { leaseMs: 600_000, retentionMs: 600_000 };
    const openObjects = () => folderStore(root);
    const places = { openObjects, folder: temporary, archiveFolder: root };
    const kind = erasureKind({ store: stores, ...times, log, ...places });
    const piece = await kind.next(job);
    if (!piece) throw new Error('another worker has the job');
    try {
      const end = await piece.work(ownTurn());
      const expiresAt = end?.isKept ? undefined : new Date(Date.now() + 600_000);
      await store.jobs.complete(job.id, piece.job.fence, undefined, expiresAt, end?.result);
    } catch (error) {
      await piece.release(false);
      throw error;
    }
    return (await store.jobs.get(job.id)) as ErasureJob;
  }

  async function exported(state: 'completed' | 'active' | 'failed'): Promise<string> {
    const options = { format: 'csv', formulas: 'escape', arrays: 'json' } as const;
    const made = { version: 1, leafCount: 0, transient: false, options };
    const { id } = await store.jobs.exports.create({ ...ofApplication, ...made });
    const { fence } = (await store.jobs.claim('export', id, 600_000)) as { fence: number };
    const part = { id: await store.parts.put(id, Buffer.from('x')), rows: 1, bytes: 1 };
    const position = { pass: 0, entries: 1 };
    const times = { firstCreatedAt: undefined, lastCreatedAt: undefined };
    await store.jobs.exports.commitParts(id, fence, { parts: [part], position, ...times });
    const manifest = { rows: 1, bytes: 1, sha256: 'a' };
    if (state === 'completed') await store.jobs.complete(id, fence, manifest, new Date(Date.now() + 600_000));
    if (state === 'failed') await store.jobs.fail(id, fence, { error: 'no' }, new Date(Date.now() + 600_000));
    return id;
  }

  return {
    runs,
    db,
    store,
    application,
    ofApplication,
    insert,
    refuse,
    refusedTexts,
    create,
    work,
    exported,
  };
}

it('erases and counts each thing once, wherever its workers die', async () => {
  const { db, store, application, insert, refuse, refusedTexts, create, work, exported } = await start();
  await insert(Array.from({ length: 2_500 }, (_, n) => ({ id: n % 2 ? 'him' : 'her', n })));
  await refuse(Array.from({ length: 500 }, (_, n) => `{"id":"${n % 5 ? 'her' : 'him'}"}`));
  for (let n = 0; n < 12; n++) await exported(n % 6 ? 'completed' : 'failed');
  const open = await exported('active');
  const to = { kind: 'folder' as const };
  const fields = { to, format: 'csv', every: '1d', from: 'beginning', createdBy: 'b' } as const;
  await store.archives.create(application, { ...fields, covers: { announced: 0 } }, 3);
  const job = await create(['him'], false);

  let died = 0;
  let ended: ErasureJob | undefined;
  for (let attempt = 0; !ended; attempt += 1) {
    // Ever longer, since the parts of some jobs are swept by one worker.
    let left = 1 + (attempt % 7) + Math.floor(attempt / 4);
    /** The same store, whose n-th change kills the worker, before or after it is made. */
    const deadly = <Part extends object>(part: Part, ...names: (keyof Part)[]): Part => {
      const changed = names.map((name) => [
        name,
        async (...given: unknown[]) => {
          left -= 1;
          const dies = left === 0;
          if (dies && attempt % 2) throw new Error('killed');
          const result = await (part[name] as (...given: unknown[]) => Promise<unknown>)(...given);
          if (dies) throw new Error('killed');
          return result;
        },
      ]);
      return { ...part, ...Object.fromEntries(changed) };
    };
    const erasures = deadly(store.jobs.erasures, 'enter', 'note', 'failExports', 'removeOver');
    const faulty: Store = {
      ...store,
      jobs: { ...store.jobs, erasures },
      archives: deadly(store.archives, 'noteErasure'),
      deletions: deadly(store.deletions, 'remove'),
      deliveries: deadly(store.deliveries, 'forget'),
      erased: deadly(store.erased, 'note'),
      parts: deadly(store.parts, 'sweep'),
      refused: deadly(store.refused, 'erase'),
    };
    ended = await work(job, faulty).catch((error) => {
      expect(error.message).toBe('killed');
      died += 1;
      return undefined;
    });
  }
  expect(died).toBeGreaterThan(30);
  expect(ended).toMatchObject({
    state: 'completed',
    done: 1_350,
    result: { entries: 1_250, refused: 100, files: 10 },
    options: { by: 'b' },
  });
  expect(ended).not.toHaveProperty('expiresAt');
  expect(ended.options).not.toHaveProperty('target');
  expect(await store.entries.count(application, {})).toBe(1_250);
  expect(await db.collection('entries').countDocuments({ 'payload.id': 'him' })).toBe(0);
  expect(new Set(await refusedTexts())).toEqual(new Set(['{"id":"her"}']));
  const hashes = await Array.fromAsync(store.erased.hashesOf({ application, id: ended.id }));
  expect(Buffer.concat(hashes)).toHaveLength(1_350 * 16);
  const met = await store.jobs.get(open);
  expect(met).toMatchObject({ state: 'failed', done: 0, metByErasure: true });
  expect(toJob(met as JobRecord)).not.toHaveProperty('asked');
  expect(await store.jobs.list(application, 'export')).toHaveLength(1);
  expect(await db.collection('parts').countDocuments()).toBe(0);
  expect((await store.archives.list(application))[0]?.erasures).toEqual([ended.id]);
});

it('takes refused text that has a value by itself, and JSON that has it in its place', async () => {
  const { refuse, refusedTexts, create, work } = await start();
  await refuse(['{"id":7,"n":', '{"id":"7', 'id=77', 'id=a7', '{"n":1', '{"id":"\\"é\\""'], 'not_json');
  await refuse(['{"id":7,"n":"x"}', '{"id":"7"}', '{"n":7}', '[7]', '{"id":[7]}']);
  expect(await work(await create([7, '"é"'], true))).toMatchObject({ result: { entries: 0, refused: 4 } });
  expect(await refusedTexts()).toEqual([
    'id=77',
    'id=a7',
    '{"n":1',
    '{"id":"7"}',
    '{"n":7}',
    '[7]',
    '{"id":[7]}',
  ]);
});

it('waits for a job that may store what it has read, and forgets what it was to erase when cancelled', async () => {
  const { store, ofApplication, insert, create, work } = await start();
  await insert([{ id: 'him' }]);
  const under = await store.jobs.create<'replay'>({ kind: 'replay', ...ofApplication, options: {} });
  const job = await create(['him'], false);
  await expect(work(job)).rejects.toThrow(Postpone);
  await expect(work(job)).rejects.toThrow(Postpone);
  expect(await store.entries.count(ofApplication.application, {})).toBe(1);
  // A later one is not waited for at first, and keeps it from its end.
  const later = await store.jobs.create<'replay'>({ kind: 'replay', ...ofApplication, options: {} });
  await store.jobs.cancel(under.id, new Date(Date.now() + 600_000));
  await expect(work(job)).rejects.toThrow(Postpone);
  expect(await store.entries.count(ofApplication.application, {})).toBe(0);
  await store.jobs.cancel(later.id, new Date(Date.now() + 600_000));
  expect(await work(job)).toMatchObject({ state: 'completed', result: { entries: 1 } });
  const other = await create(['her'], false);
  await store.jobs.cancel(other.id, new Date(Date.now() + 600_000));
  expect((await store.jobs.get(other.id)) as ErasureJob).toMatchObject({ options: { by: 'b' } });
  expect(((await store.jobs.get(other.id)) as ErasureJob).options).not.toHaveProperty('target');
});

it('neither waits for verifications nor removes them, as they have no payloads', async () => {
  const { store, ofApplication, insert, create, work } = await start();
  await insert([{ id: 'him' }]);
  const made = { kind: 'verification', ...ofApplication, options: { archive: 'a' } } as const;
  const over = await store.jobs.create<'verification'>(made);
  await store.jobs.cancel(over.id, new Date(Date.now() + 600_000));
  await store.jobs.create<'verification'>(made);
  expect(await work(await create(['him'], false))).toMatchObject({ state: 'completed' });
  expect(await store.jobs.list(ofApplication.application, 'verification')).toHaveLength(2);
});

it('erases entries that are in the lake alone, once, and those that came since', async () => {
  const { runs, db, store, application, create, work } = await start();
  const archive = await runs.create();
  const keysAt = createKeysAt();
  const dayMs = 86_400_000;
  const old = Array.from({ length: 3_000 }, (_, n) => ({
    key: keysAt(Buffer.from(application, 'hex'), Date.now() - 9 * dayMs),
    ...payloadOf({ id: n % 2 ? 'him' : 'her', n }),
    version: 1,
  }));
  await store.entries.insertKeyed(old);
  await runs.run(archive);
  await store.applications.update(application, { retentionDays: 5, retentionArchive: archive.id });
  await createExpireEntries({ store, auditRetentionMs: dayMs, log })(never);
  expect(await db.collection('entries').countDocuments()).toBe(0);
  const late = {
    key: keysAt(Buffer.from(application, 'hex'), Date.now() - 8 * dayMs),
    ...payloadOf({ id: 'him', n: 0 }),
    version: 1,
  };
  await store.entries.insertKeyed([late]);
  await store.deletions.removeOne(application, idOfKey((old[1] as (typeof old)[0]).key));

  const job = await create(['him'], true);
  let removed = 0;
  const deletions: Store['deletions'] = {
    ...store.deletions,
    async removeArchived(...given) {
      if (removed === 1) throw new Error('killed');
      removed += 1;
      return store.deletions.removeArchived(...given);
    },
  };
  await expect(work(job, { ...store, deletions })).rejects.toThrow('killed');
  const ended = await work(job);
  expect(ended).toMatchObject({ state: 'completed', result: { entries: 1_501 } });
  const hashes = await Array.fromAsync(store.erased.hashesOf({ application, id: job.id }));
  expect(Buffer.concat(hashes)).toHaveLength(1_501 * 16);
  expect(await db.collection('entries').countDocuments()).toBe(0);
  await runs.run(archive);
  const rows = await readLake(runs.folder);
  expect(rows).toHaveLength(1_500);
  expect(new Set(rows.map(({ payload }) => (payload as { id: string }).id))).toEqual(new Set(['her']));
  expect((await store.archives.list(application))[0]?.erasures).toEqual([]);
});

it('removes the files for questions, and the next question has new ones', async () => {
  const { runs, store, application, insert, create, work } = await start();
  const { askedArchives } = store;
  await store.fields.add(application, ['/id']);
  await insert([{ id: 'him' }, { id: 'her' }]);
  const asked = await askedArchives.ask(application);
  await runs.run(asked);
  const folder = join(runs.root, folderOf(asked, runs.domain));
  expect(readdirSync(folder).length).toBeGreaterThan(0);
  expect(await work(await create(['him'], true))).toMatchObject({ result: { entries: 1 } });
  expect(existsSync(folder)).toBe(false);
  const next = await askedArchives.ask(application);
  expect(next).toMatchObject({ run: 1, entries: 0 });
  await runs.run(next);
  const files = join(runs.root, folderOf(next, runs.domain));
  const [name, ...others] = manifestsIn(files).flatMap((manifest) => manifest.files.map((file) => file.name));
  expect(others).toEqual([]);
  const rows = await rowsOf(name as string, readFileSync(join(files, name as string)));
  expect(rows.map(({ payload }) => payload)).toEqual(['{"id":"her"}']);
});
