import { readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExportJob } from '@sluice/jobs/record/export-record.ts';
import { createRun } from '@sluice/jobs/run.ts';
import { folderStore } from '@sluice/objects/folder-store.ts';
import { type ObjectStore, ObjectStoreError } from '@sluice/objects/object-store.ts';
import { s3Store } from '@sluice/objects/s3-store.ts';
import { createLogger } from '@sluice/shared/logger.ts';
import { parseAllowed } from '@sluice/shared/public-address.ts';
import { parquetMetadata } from 'hyparquet';
import { afterAll, describe, expect, it } from 'vitest';
import { ownFolder } from '../../../../test/support/archive-runs.ts';
import { expectedCsv, fill, sha256, storedParts } from '../../../../test/support/export-client.ts';
import { openStore, ownDatabase } from '../../../../test/support/own-database.ts';
import { startVersitygw } from '../../../../test/support/versitygw.ts';
import { exportKind } from './export-kind.ts';

const log = createLogger('test', { level: 'silent', pretty: false });
const timings = { leaseMs: 600_000, heartbeatMs: 60_000, turnMs: 0 };
const metrics = { failed() {}, completed() {}, cancelled() {} } as never;
const gateway = await startVersitygw();
afterAll(gateway.stop);
/** Two parts of 8 MiB, and most of a third. */
const count = 3_700;
const length = 6_000;

/** The uploads that the S3 server has begun, and not ended. */
const unfinishedUploads = () =>
  readdirSync(gateway.folder, { recursive: true })
    .map(String)
    .filter((name) => /^\.sgwtmp\/multipart\/[^/]+\/[^/]+$/.test(name));

type Put = ObjectStore['inParts']['put'];

async function exported(where: 'a bucket' | 'a folder', options: Partial<ExportJob['options']> = {}) {
  const { db, url } = await ownDatabase();
  const store = openStore(url);
  await store.prepare();
  const domain = `a-${db.databaseName
    .slice(-6)
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '0')}`;
  const rawSchema = '{"type":"object","properties":{"n":{"type":"integer"},"text":{"type":"string"}}}';
  const owner = { id: 'b'.repeat(24), username: 'b' };
  const made = await store.applications.create({
    name: 'a',
    type: 'other',
    connectors: [],
    rawSchema,
    domain,
    owner,
  } as never);
  const application = made?.id as string;
  await fill(store, application, count, length);
  const root = where === 'a bucket' ? gateway.folder : ownFolder();
  const open = () =>
    where === 'a bucket'
      ? s3Store(gateway.target, { allowed: parseAllowed(['127.0.0.1']) as never })
      : folderStore(root);
  const { id } = await store.jobs.exports.create({
    application,
    owner: owner.id,
    domain,
    options: { format: 'csv', formulas: 'escape', arrays: 'json', ...options },
    cut: (await store.rawEntries.cut(application)).until,
    version: 1,
    leafCount: 0,
    transient: false,
    target: { kind: 'folder' },
  });

  /** A process, in whose place `put`, `create` and `finish` may fail. */
  function worker(change: (objects: ObjectStore) => Partial<ObjectStore> = () => ({})) {
    let isOutweighed = false;
    const openObjects = () => {
      const objects = open();
      return { ...objects, ...change(objects) };
    };
    const kind = exportKind({
      store,
      openObjects,
      folder: tmpdir(),
      retentionMs: 600_000,
      leaseMs: timings.leaseMs,
      log,
    });
    const queue = { moveUp: async () => undefined, isOutweighed: async () => isOutweighed } as never;
    const run = createRun({ store, queue, retentionMs: 600_000, timings, metrics, log }, kind);
    return {
      run: (signal = new AbortController().signal) => run({ jobId: id }, signal, () => undefined),
      /** Others wait for this worker from now on. */
      outweigh: () => {
        isOutweighed = true;
      },
    };
  }

  const files = () =>
    readdirSync(root, { recursive: true })
      .map(String)
      .filter((name) => name.startsWith(domain) && name.includes('.'));
  return {
    db,
    store,
    id,
    worker,
    files,
    job: async () => (await store.jobs.get(id)) as ExportJob,
    parts: () => storedParts(db, id),
    async expectWhole(expected?: string) {
      const { state, error, manifest, done } = (await store.jobs.get(id)) as ExportJob;
      expect({ state, error, rows: manifest?.rows, done }).toEqual({
        state: 'completed',
        error: undefined,
        rows: count,
        done: count,
      });
      const [name, ...others] = files();
      expect(others).toEqual([]);
      const bytes = readFileSync(join(root, name as string));
      expect([bytes.length, sha256(bytes)]).toEqual([manifest?.bytes, manifest?.sha256]);
      if (expected !== undefined) expect(sha256(bytes)).toBe(sha256(expected));
      expect(await storedParts(db, id)).toEqual([]);
      expect(unfinishedUploads()).toEqual([]);
      return bytes;
    },
    async expectNothing() {
      expect(files()).toEqual([]);
      expect(await storedParts(db, id)).toEqual([]);
      expect(unfinishedUploads()).toEqual([]);
    },
  };
}

/** Calls `then` in place of, or before, the put of that number. */
const atPut = (number: number, then: () => Promise<void>) => {
  let calls = 0;
  return ({ inParts }: ObjectStore) => {
    const put: Put = async (...args) => {
      calls += 1;
      if (calls === number) await then();
      return inParts.put(...args);
    };
    return { inParts: { ...inParts, put } };
  };
};

const dies = async () => {
  throw new Error('killed');
};

describe.each(['a bucket', 'a folder'] as const)('an export to %s', (where) => {
  it('is one object, also when workers give way or die', async () => {
    const made = await exported(where);
    const first = made.worker(atPut(1, async () => first.outweigh()));
    await expect(first.run()).rejects.toThrow('again');
    const { done, position } = await made.job();
    expect([done, position?.entries]).toEqual([done, done]);
    expect(done).toBeGreaterThan(0);
    expect(made.files().filter((name) => !name.includes('.unfinished-'))).toEqual([]);
    if (where === 'a bucket') expect(unfinishedUploads()).toHaveLength(1);
    expect(await made.parts()).toHaveLength(1);
    await expect(made.worker(atPut(2, dies)).run()).rejects.toThrow('killed');
    const stopping = new AbortController();
    await expect(made.worker(atPut(1, async () => stopping.abort())).run(stopping.signal)).rejects.toThrow(
      'again',
    );
    expect((await made.job()).done).toBeGreaterThan(done);
    await made.worker().run();
    await made.expectWhole(await expectedCsv(made.db));
  });

  it('begins anew when its worker dies before it could save anything', async () => {
    const made = await exported(where);
    await expect(made.worker(atPut(2, dies)).run()).rejects.toThrow('killed');
    await made.worker().run();
    await made.expectWhole(await expectedCsv(made.db));
  });

  it('is the same file of Parquet with all its row groups', async () => {
    const made = await exported(where, { format: 'parquet' });
    const first = made.worker();
    first.outweigh();
    await expect(first.run()).rejects.toThrow('again');
    expect((await made.job()).done).toBeGreaterThan(0);
    await made.worker().run();
    const bytes = await made.expectWhole();
    const { num_rows } = parquetMetadata(new Uint8Array(bytes).buffer);
    expect(Number(num_rows)).toBe(count);
  });

  it('ends once when its worker dies behind the last part', async () => {
    const made = await exported(where);
    const finishes = ({ inParts }: ObjectStore) => ({
      inParts: {
        ...inParts,
        finish: async (...args: Parameters<ObjectStore['inParts']['finish']>) => {
          await inParts.finish(...args);
          await dies();
        },
      },
    });
    await expect(made.worker(finishes).run()).rejects.toThrow('killed');
    await made.worker().run();
    await made.expectWhole(await expectedCsv(made.db));
  });

  it('leaves nothing when it is cancelled, whether a worker has it or not', async () => {
    const made = await exported(where);
    const cancel = async () => {
      await made.store.jobs.cancel(made.id, new Date(Date.now() + 600_000));
    };
    const first = made.worker(atPut(1, async () => first.outweigh()));
    await expect(first.run()).rejects.toThrow('again');
    await expect(made.worker(atPut(1, cancel)).run()).rejects.toThrow();
    await made.worker().run();
    expect((await made.job()).state).toBe('cancelled');
    await made.expectNothing();
  });

  it('fails with what its place says, leaves nothing there, and a retry begins anew', async () => {
    const made = await exported(where);
    const away = async () => {
      throw new ObjectStoreError('the store is away');
    };
    await made.worker(atPut(2, away)).run();
    expect(await made.job()).toMatchObject({ state: 'failed', error: 'the store is away' });
    await made.expectNothing();
    await made.store.jobs.retry(await made.job(), 'without parts');
    await made.worker().run();
    await made.expectWhole(await expectedCsv(made.db));
  });
});
