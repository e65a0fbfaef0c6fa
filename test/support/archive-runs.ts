import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { archiveKind } from '@sluice/export-worker/archive/archive-kind.ts';
import { mergeRuns } from '@sluice/export-worker/archive/merge-runs.ts';
import { createPagesOf } from '@sluice/export-worker/archive/read-run.ts';
import type { Store } from '@sluice/jobs/connect.ts';
import { JobFailed, type Turn } from '@sluice/jobs/kind.ts';
import type { ArchiveJob } from '@sluice/jobs/record/archive-record.ts';
import { createStartArchives } from '@sluice/jobs/start-archives.ts';
import { folderStore } from '@sluice/objects/folder-store.ts';
import type { ObjectStore } from '@sluice/objects/object-store.ts';
import { createLogger } from '@sluice/shared/logger.ts';
import type { ArchiveRecord } from '@sluice/store/archives/archive-records.ts';
import type { Block } from '@sluice/store/backup/block.ts';
import { timeOfId } from '@sluice/store/entries/entry-id.ts';
import { onTestFinished } from 'vitest';
import { openStore, ownDatabase } from './own-database.ts';
import { payloadOf } from './payload-of.ts';

const owner = { id: 'b'.repeat(24), username: 'b' };
const domain = 'a-abc234';
const log = createLogger('test', { level: 'silent', pretty: false });
const leaseMs = 600_000;

async function* each(blocks: Block[]) {
  yield* blocks;
}

export const ownTurn = (): Turn => ({
  signal: new AbortController().signal,
  check() {},
  checkLease() {},
  async giveWay() {},
});

export function ownFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-lake-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** What `backUp` has read. */
interface Backup {
  application: string;
  root: string;
  blocks: Block[];
  startedAt: Date;
}

/** An application, or that of a backup, and runs of its archives in the process of the test. Call in a test. */
export async function archiveRuns(
  backup?: Backup,
  schema: object = { type: 'object', properties: { n: { type: 'integer' } } },
) {
  const { db, url } = await ownDatabase();
  const store = openStore(url);
  if (backup) await store.backup.restore(each(backup.blocks), backup.startedAt);
  else await store.prepare();
  const rawSchema = JSON.stringify(schema);
  const fields = { name: 'a', type: 'other', connectors: [], rawSchema, domain, owner };
  const application = backup?.application ?? ((await store.applications.create(fields))?.id as string);
  const root = backup?.root ?? ownFolder();
  const temporary = ownFolder();
  let made = 0;

  async function insert(count: number, payload: (n: number) => object = (n) => ({ n }), version = 1) {
    const batch = Array.from({ length: count }, () => ({
      application,
      version,
      ...payloadOf(payload(made++)),
    }));
    await store.entries.insert(batch);
  }

  const create = async (
    options: Partial<Pick<ArchiveRecord, 'format' | 'meta' | 'covers' | 'from'>> = {},
  ): Promise<ArchiveRecord> =>
    (await store.archives.create(
      application,
      {
        to: { kind: 'folder' },
        format: 'ndjson',
        every: '1h',
        from: 'beginning',
        covers: { announced: 0 },
        createdBy: 'b',
        ...options,
      },
      3,
    )) as ArchiveRecord;

  const current = async ({ id }: Pick<ArchiveRecord, 'id'>) =>
    (await store.archives.get(application, id)) as ArchiveRecord;

  /** Lets one worker make the next run, and throws what its job fails with. */
  async function run(
    archive: ArchiveRecord,
    {
      stores = store,
      objects = folderStore(root),
      fileBytes = 64 * 1024,
      mostFiles = 5_000,
      turn = ownTurn(),
      isMerging = true,
    }: {
      stores?: Store;
      objects?: ObjectStore;
      fileBytes?: number;
      mostFiles?: number;
      turn?: Turn;
      isMerging?: boolean;
    } = {},
  ): Promise<ArchiveJob> {
    await store.archives.hurry(application, archive.id);
    await createStartArchives(store, { enqueue: async () => {} })();
    const { run } = await current(archive);
    const job = (await store.jobs.archives.runs(application, archive.id, 1))[0] as ArchiveJob;
    const isStarted = job.state === 'waiting' || job.state === 'active';
    if (job.options.run !== run || !isStarted) throw new Error('the run was not started');
    let behind: { job: ArchiveJob; archive: ArchiveRecord } | undefined;
    const kind = archiveKind({
      store: stores,
      openObjects: () => objects,
      folder: temporary,
      fileBytes,
      mostFiles,
      countBytes() {},
      leaseMs,
      log,
      merges: {
        begin(job, archive) {
          behind = { job, archive };
        },
      },
    });
    const piece = await kind.next(job);
    if (!piece) throw new Error('another worker has the job');
    const { fence } = piece.job;
    // A writer that has been quiet for two seconds has left: nobody else sets the clock on here.
    const newest = await store.rawEntries.newestId(application);
    if (newest) while ((await store.horizon.confirm()) <= timeOfId(newest).getTime());
    try {
      const end = await piece.work(turn);
      await store.jobs.complete(job.id, fence, undefined, new Date(Date.now() + 600_000), end?.result);
      if (behind && isMerging) await merge(behind.job, behind.archive, { objects, fileBytes });
    } catch (error) {
      if (error instanceof JobFailed)
        await store.jobs.fail(job.id, fence, { error: error.message }, new Date(Date.now() + 600_000));
      else await piece.release(false);
      throw error;
    }
    return (await store.jobs.get(job.id)) as ArchiveJob;
  }

  /** Merges what runs have stored, as a worker does after a run. */
  async function merge(
    job: Pick<ArchiveJob, 'application' | 'domain' | 'createdAt'>,
    archive: ArchiveRecord,
    {
      objects = folderStore(root),
      fileBytes = 64 * 1024,
    }: { objects?: ObjectStore; fileBytes?: number } = {},
  ): Promise<void> {
    const options = { store, folder: temporary, fileBytes };
    const read = createPagesOf({ ...options, openObjects: () => objects })(job, archive);
    await mergeRuns(options, objects, { job, archive, read, signal: ownTurn().signal });
  }

  async function backUp(): Promise<Backup> {
    const startedAt = await store.backup.now();
    return { application, root, startedAt, blocks: await Array.fromAsync(store.backup.read()) };
  }

  /** The ids of all stored entries, in order. */
  const storedIds = async (): Promise<string[]> => {
    const found = await db.collection('entries').find().sort({ _id: 1 }).project({ _id: 1 }).toArray();
    return found.map(({ _id }) => _id.toString('hex').slice(24));
  };

  return {
    db,
    url,
    store,
    application,
    domain,
    owner,
    root,
    temporary,
    folder: join(root, domain),
    insert,
    create,
    current,
    run,
    merge,
    storedIds,
    backUp,
  };
}
