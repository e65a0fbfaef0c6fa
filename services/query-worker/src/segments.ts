import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Store } from '@sluice/jobs/connect.ts';
import { folderStore } from '@sluice/objects/folder-store.ts';
import { readLive } from '@sluice/objects/lake/live-manifests.ts';
import { type LakeContent, LakeFault, type LakeManifest } from '@sluice/objects/lake/manifest.ts';
import { type ObjectStore, ObjectStoreError } from '@sluice/objects/object-store.ts';
import { type ArchiveRecord, folderOf } from '@sluice/store/archives/archive-records.ts';
import { timeOfId } from '@sluice/store/entries/entry-id.ts';
import type { PageAsk } from './duck/page.ts';
import type { Question } from './duck/question.ts';
import type { Outside } from './queue.ts';

const lookMs = 50;
/** Archives whose manifests are kept in memory. */
const mostKnown = 100;

/** There is no answer now. `after`: in so many seconds it is worth asking again. */
export class NotReady extends Error {
  override name = 'NotReady';
  readonly after: number;

  constructor(message: string, after: number, options?: ErrorOptions) {
    super(message, options);
    this.after = after;
  }
}

const anew = () => new NotReady('the entries are being prepared anew: ask again', 1);

export type Segments = Pick<Question, 'files' | 'deleted' | 'asOf'>;
type SegmentFiles = Pick<PageAsk, 'runs' | 'deleted'>;

/** `name`: with the folder of the archive. */
export type FileOfArchive = LakeContent & { name: string };

interface ArchiveFiles {
  objects: Pick<ObjectStore, 'list' | 'read'>;
  /** Where files are on this machine. */
  pathsOf(files: FileOfArchive[], signal: AbortSignal): Promise<string[]>;
}

const inFolder = (folder: string): ArchiveFiles => ({
  objects: folderStore(folder),
  pathsOf: (files) =>
    Promise.all(
      files.map(async ({ name, bytes }) => {
        const path = join(folder, name);
        const found = await stat(path).catch(() => undefined);
        if (found?.size !== bytes) throw new LakeFault(`${name} is not as its manifest says`);
        return path;
      }),
    ),
});

interface Options {
  store: Pick<Store, 'archives' | 'askedArchives' | 'rawEntries'>;
  /** Starts the run of an archive that is due. */
  startRun(archive: ArchiveRecord): Promise<void>;
  /** Where archives without a bucket are: a path, or what copies them from a bucket. */
  folder: string | ArchiveFiles;
  /** How old an answer may be while new entries come. */
  freshMs?: number;
}

const here: Outside = (wait) => wait();

export type FindSegments = ReturnType<typeof createSegments>;

/** The files that have the entries of an application. */
export function createSegments({ store, startRun, folder, freshMs = 10_000 }: Options) {
  const { archives, askedArchives, rawEntries } = store;
  const { objects, pathsOf } = typeof folder === 'string' ? inFolder(folder) : folder;
  const known = new Map<string, Map<string, LakeManifest>>();

  async function isFresh(archive: ArchiveRecord): Promise<boolean> {
    const { lastRun, late } = archive;
    // What came with old times is in no answer yet, although `asOf` is later.
    if (!lastRun || late) return false;
    if (Date.now() - lastRun.plannedAt.getTime() < freshMs) return true;
    return askedArchives.isCurrent(archive, await rawEntries.newestId(archive.application));
  }

  /** Lets a run begin that has all that is there now, and waits for its end. */
  async function wait(before: ArchiveRecord, signal: AbortSignal, outside: Outside): Promise<ArchiveRecord> {
    await archives.hurry(before.application, before.id);
    await startRun(before);
    return outside(() => untilEnd(before, signal));
  }

  async function untilEnd(before: ArchiveRecord, signal: AbortSignal): Promise<ArchiveRecord> {
    for (;;) {
      const archive = await archives.get(before.application, before.id);
      if (!archive) throw anew();
      if (archive.run > before.run) return archive;
      if (archive.state === 'failing')
        throw new NotReady(`the entries cannot be prepared: ${archive.reason}`, 30);
      if (signal.aborted) throw new NotReady('the entries are being prepared: ask again', 5);
      await pause(lookMs);
    }
  }

  async function startAnew({ application }: ArchiveRecord): Promise<never> {
    await askedArchives.forget(application);
    throw anew();
  }

  async function manifestsOf(archive: ArchiveRecord, place: string): Promise<LakeManifest[]> {
    const read = known.get(archive.id) ?? new Map<string, LakeManifest>();
    const manifests = await readLive(objects, place, archive, read);
    if (!manifests) return startAnew(archive);
    if (known.size >= mostKnown) known.clear();
    known.set(archive.id, read);
    return manifests;
  }

  async function locate(archive: ArchiveRecord, domain: string, signal: AbortSignal): Promise<SegmentFiles> {
    const place = folderOf(archive, domain);
    const manifests = await manifestsOf(archive, place);
    const named = <File extends LakeContent & { name: string }>(file: File) => ({
      ...file,
      name: `${place}/${file.name}`,
    });
    const runs = manifests.map(({ files }) => files.map(named)).filter((files) => files.length > 0);
    const lists = manifests.flatMap(({ deleted }) => (deleted ? [named(deleted)] : []));
    const all = [...runs.flat(), ...lists];
    const paths = await pathsOf(all, signal);
    const pathOf = new Map(all.map(({ name }, at) => [name, paths[at] as string]));
    const path = ({ name }: { name: string }) => pathOf.get(name) as string;
    return {
      runs: runs.map((files) =>
        files.map((file) => ({ path: path(file), first: file.first, last: file.last })),
      ),
      deleted: lists.map(path),
    };
  }

  /** Throws NotReady. */
  async function filesOf(...asked: Parameters<typeof locate>): Promise<SegmentFiles> {
    try {
      return await locate(...asked);
    } catch (cause) {
      if (cause instanceof LakeFault) return startAnew(asked[0]);
      if (!(cause instanceof ObjectStoreError)) throw cause;
      throw new NotReady('the files of the entries cannot be read now: ask again', 30, { cause });
    }
  }

  return {
    /** Files with all entries, no older than `freshMs`. Waits for them `outside`. Throws NotReady. */
    async segmentsOf(
      application: string,
      domain: string,
      signal: AbortSignal,
      outside = here,
    ): Promise<Segments> {
      let archive = await askedArchives.ask(application);
      // A run that was under way may lack what came before the question; the next one has it.
      for (let ended = 0; ended < 2 && !(await isFresh(archive)); ended++)
        archive = await wait(archive, signal, outside);
      const { runs, deleted } = await filesOf(archive, domain, signal);
      const { until } = archive.covers;
      return {
        files: runs.flat().map(({ path }) => path),
        deleted,
        asOf: until && timeOfId(until).toISOString(),
      };
    },

    /** Files for which `complete` finds what they lack. It gives undefined where a run is needed first. Throws NotReady. */
    async completed<Rest>(
      application: string,
      domain: string,
      complete: (archive: ArchiveRecord) => Promise<Rest | undefined>,
      signal: AbortSignal,
      outside = here,
    ): Promise<SegmentFiles & { rest: Rest }> {
      for (let archive = await askedArchives.ask(application); ; ) {
        const rest = await complete(archive);
        if (rest !== undefined) return { ...(await filesOf(archive, domain, signal)), rest };
        const now = await archives.get(application, archive.id);
        archive = now && now.run > archive.run ? now : await wait(archive, signal, outside);
      }
    },
  };
}
