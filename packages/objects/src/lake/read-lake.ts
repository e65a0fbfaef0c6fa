import { readDeletedIds } from './deleted-ids.ts';
import { fetchFile, fetchList, type LakePlace } from './fetch-file.ts';
import { createLineReader, type LakeLine } from './lake-lines.ts';
import { LakeFault, type LakeFile, readManifestsBelow } from './manifest.ts';

export type { LakePlace } from './fetch-file.ts';
export type { LakeLine } from './lake-lines.ts';

/** Ids sort like `createdAt`. */
export interface LakeRange {
  /** Only what runs below this one have stored. */
  run: number;
  /** How many manifests these runs have stored. */
  manifests: number;
  /** Entries above it; absent: from the first. */
  after?: string | undefined;
  /** Entries up to it. */
  until: string;
  /** Deleted entries that no list has yet. */
  removed?: ReadonlySet<string> | undefined;
}

/**
 * The entries in the NDJSON files that manifests name, in the order of ids, each once and without deleted ones. A file is copied and compared
 * with its manifest before its first line is given. Throws LakeFault and ObjectStoreError.
 */
export async function* readLake(place: LakePlace, range: LakeRange): AsyncGenerator<LakeLine> {
  const { after = '', until, removed } = range;
  const { files, deleted } = await look(place, range);
  const open: OpenFile[] = [];
  let before = after;
  try {
    for (;;) {
      let lowest = lowestOf(open);
      // A file is opened only when its first entry may be the next.
      while (files[0] && !(lowest && lowest.line.id < files[0].file.first)) {
        const opened = await openFile(place, files.shift() as Named, after);
        if (opened) open.push(opened);
        lowest = lowestOf(open);
      }
      if (!lowest || lowest.line.id > until) return;
      const { line } = lowest;
      const isGone = deleted.has(line.id) || removed?.has(line.id);
      if (line.id !== before && !isGone) yield line;
      before = line.id;
      if (await lowest.step()) continue;
      open.splice(open.indexOf(lowest), 1);
      await lowest.close();
    }
  } finally {
    for (const { close } of open) await close();
  }
}

/** A file, and the run that has stored it. */
interface Named {
  run: number;
  file: LakeFile;
}

/** The files with entries of the range, in the order of their first entries, and the ids of deleted entries. */
async function look(place: LakePlace, { run, manifests: stored, after = '', until }: LakeRange) {
  for (let missing: string | undefined; ; ) {
    const manifests = await readManifestsBelow(place.store, place.folder, run);
    // An emptied folder must not look like one without entries.
    if (manifests.length !== stored)
      throw new LakeFault(
        `${place.folder} has ${manifests.length} of the ${stored} manifests that the archive has stored`,
      );
    const other = manifests.find(({ format }) => format !== 'ndjson');
    if (other) throw new LakeFault(`${place.folder} has files of ${other.format}: only ndjson can be read`);
    const isNamed = manifests.some(({ deleted }) => deleted?.name === missing);
    if (missing && isNamed) throw new LakeFault(`${place.folder}/${missing} is missing`);
    missing = undefined;
    const deleted = new Set<string>();
    for (const { deleted: list } of manifests) {
      if (!list) continue;
      const bytes = await fetchList(place, list);
      // Compaction takes a list out of its manifest before it removes the list.
      if (!bytes) missing = list.name;
      else for await (const id of readDeletedIds(bytes)) if (id > after && id <= until) deleted.add(id);
    }
    if (missing) continue;
    const named: Named[] = manifests.flatMap(({ run, files }) => files.map((file) => ({ run, file })));
    const within = named.filter(({ file: { first, last } }) => last > after && first <= until);
    return { files: within.toSorted((a, b) => (a.file.first < b.file.first ? -1 : 1)), deleted };
  }
}

interface OpenFile {
  /** The next line. */
  line: LakeLine;
  /** False: there was no further line. */
  step(): Promise<boolean>;
  close(): Promise<void>;
}

/** Undefined where the file has nothing above `after`. */
async function openFile(
  place: LakePlace,
  { run, file }: Named,
  after: string,
): Promise<OpenFile | undefined> {
  const spool = await fetchFile(place, run, file);
  if (!spool) return undefined;
  const reader = createLineReader(spool, `${place.folder}/${file.name}`);
  try {
    let line = await reader.next();
    while (line && line.id <= after) line = await reader.next();
    if (!line) {
      await reader.close();
      return undefined;
    }
    const opened: OpenFile = {
      line,
      async step() {
        const next = await reader.next();
        if (next) opened.line = next;
        return next !== undefined;
      },
      close: reader.close,
    };
    return opened;
  } catch (error) {
    await reader.close();
    throw error;
  }
}

const lowestOf = (open: OpenFile[]): OpenFile | undefined => {
  let lowest = open[0];
  for (const file of open) if (lowest && file.line.id < lowest.line.id) lowest = file;
  return lowest;
};
