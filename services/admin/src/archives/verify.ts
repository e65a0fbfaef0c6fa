import { createReadStream } from 'node:fs';
import { announcedIn, createEntryReader, idOf } from '@sluice/bson/entry.ts';
import type { Store } from '@sluice/jobs/connect.ts';
import {
  countFault,
  LakeFault,
  type LakeManifest,
  readManifestsBelow,
} from '@sluice/objects/lake/manifest.ts';
import type { ObjectStore } from '@sluice/objects/object-store.ts';
import { quoted } from '@sluice/shared/sql-text.ts';
import type { ArchiveRecord } from '@sluice/store/archives/archive-records.ts';
import { readAhead } from '@sluice/store/entries/read-ahead.ts';
import { addDeleted, download, inWorkFolder, type LakeWork } from './in-work-folder.ts';
import type { Duck } from './open-duck.ts';
import { textLines } from './text-lines.ts';

type Stores = Pick<Store, 'applications' | 'rawEntries' | 'removals'>;

export interface VerifiedLake {
  /** In the files, without deleted ones. */
  entries: number;
  /** A line for each thing that is wrong. */
  faults: string[];
}

const pageEntries = 20_000;

/** Compares each file with its manifest, and the ids in the files with those of the entries that MongoDB has. */
export const verify = (
  store: Stores,
  objects: ObjectStore,
  archive: Pick<ArchiveRecord, 'application' | 'covers' | 'manifests' | 'run'>,
  domain: string,
): Promise<VerifiedLake> =>
  inWorkFolder(objects, domain, async (work) => {
    const { duck } = work;
    for (const table of ['filed (file VARCHAR, id VARCHAR)', 'stored (id VARCHAR)'])
      await duck.run(`CREATE TABLE ${table}`);
    const manifests = await readManifestsBelow(objects, domain, archive.run);
    const faults: string[] = [];
    const fault = countFault(domain, manifests.length, archive.manifests);
    if (fault) faults.push(fault);
    for (const manifest of manifests) faults.push(...(await readFiles(work, manifest)));
    await duck.append('deleted', removedSince(store, archive));
    await duck.append('stored', storedIds(store, archive));
    // Read again: entries may have been deleted while the others were read.
    await duck.append('deleted', removedSince(store, archive));
    const moved = (await store.applications.archived(archive.application))?.until ?? '';
    // With `from: now`, older entries are in no file, unless an import brought them later.
    faults.push(...(await compare(duck, { start: manifests[0]?.after ?? '', moved })));
    const [row] = await duck.rows(
      'SELECT count(DISTINCT id)::DOUBLE AS entries FROM filed WHERE id NOT IN (SELECT id FROM deleted)',
    );
    return { entries: Number(row?.entries), faults };
  });

/** What is wrong with the files of a run. */
async function readFiles(work: LakeWork, manifest: LakeManifest): Promise<string[]> {
  const { duck } = work;
  const { format, files } = manifest;
  const faults: string[] = [];
  const unlessFaulty = (error: unknown) => {
    if (!(error instanceof LakeFault)) throw error;
    faults.push(error.message);
  };
  for (const file of files) {
    if (file.next) faults.push(`${work.domain}/${file.name}: its compaction was cut off: run it again`);
    const path = await download(work, file).catch(unlessFaulty);
    if (path === undefined) continue;
    const name = quoted(file.name);
    if (format === 'parquet')
      await duck.run(
        `INSERT INTO filed SELECT ${name}, id FROM read_parquet(${quoted(path)}, hive_partitioning = false)`,
      );
    else await duck.append('filed', textIds(format, path, file.name));
    const [found] = await duck.rows(
      `SELECT count(*)::DOUBLE AS entries, min(id) AS first, max(id) AS last FROM filed WHERE file = ${name}`,
    );
    const { entries, first, last } = file;
    if (found?.entries !== entries || found?.first !== first || found?.last !== last)
      faults.push(`${work.domain}/${file.name} has other entries than its manifest says`);
  }
  await addDeleted(work, manifest).catch(unlessFaulty);
  return faults;
}

async function* textIds(format: 'ndjson' | 'csv', path: string, name: string): AsyncGenerator<string[]> {
  for await (const { id } of textLines(format, createReadStream(path)))
    if (id !== undefined) yield [name, id];
}

async function* removedSince(
  { removals }: Stores,
  { application, covers }: Pick<ArchiveRecord, 'application' | 'covers'>,
): AsyncGenerator<string[]> {
  for await (const { id } of removals.between(application, covers.announced, Number.MAX_SAFE_INTEGER))
    yield [id];
}

/** Of the entries that the finished runs cover. */
async function* storedIds(
  { rawEntries }: Stores,
  { application, covers: { until, announced } }: Pick<ArchiveRecord, 'application' | 'covers'>,
): AsyncGenerator<string[]> {
  if (until === undefined) return;
  const reader = createEntryReader();
  // No payload is needed, but its place.
  const which = { until, members: ['_'] };
  for await (const { documents, free } of readAhead(rawEntries, application, which, () => pageEntries)) {
    for (const document of documents) if (announcedIn(reader(document)) <= announced) yield [idOf(document)];
    free();
  }
}

/** `start`: up to it, entries may be in no file. `moved`: up to it, they may be in files alone. */
async function compare(duck: Duck, { start, moved }: { start: string; moved: string }): Promise<string[]> {
  const doubled = await duck.rows(
    `SELECT files, count(*)::DOUBLE AS n FROM
       (SELECT id, string_agg(file, ' and ' ORDER BY file) AS files FROM filed GROUP BY id HAVING count(*) > 1)
     GROUP BY files ORDER BY files`,
  );
  const missing = await duck.rows(
    `SELECT strftime(epoch_ms(('0x' || substr(id, 1, 12))::BIGINT), '%Y-%m-%d') AS day, count(*)::DOUBLE AS n
     FROM stored WHERE id > ${quoted(start)} AND id NOT IN (SELECT id FROM filed) GROUP BY day ORDER BY day`,
  );
  const unknown = await duck.rows(
    `SELECT file, count(*)::DOUBLE AS n FROM filed
     WHERE id > ${quoted(moved)} AND id NOT IN (SELECT id FROM stored) AND id NOT IN (SELECT id FROM deleted)
     GROUP BY file ORDER BY file`,
  );
  return [
    ...doubled.map(({ files, n }) => `${n} entries are there more than once: in ${files}`),
    ...missing.map(({ day, n }) => `${n} entries of ${day} are in no file`),
    ...unknown.map(({ file, n }) => `${file} has ${n} entries that MongoDB does not have`),
  ];
}
