import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Store } from '@sluice/jobs/connect.ts';
import { folderStore } from '@sluice/objects/folder-store.ts';
import { type LakeManifest, readLive } from '@sluice/objects/lake/manifest.ts';
import { type ArchiveRecord, folderOf } from '@sluice/store/archives/archive-records.ts';
import { timeOfId } from '@sluice/store/entries/entry-id.ts';
import type { PageAsk } from './duck/page.ts';
import type { Question } from './duck/question.ts';

const lookMs = 50;
/** Archives whose manifests are kept in memory. */
const mostKnown = 100;

/** There is no answer now. `after`: in so many seconds it is worth asking again. */
export class NotReady extends Error {
  override name = 'NotReady';
  readonly after: number;

  constructor(message: string, after: number) {
    super(message);
    this.after = after;
  }
}

const anew = () => new NotReady('the entries are being prepared anew: ask again', 1);

export type Segments = Pick<Question, 'files' | 'deleted' | 'asOf'>;
type SegmentFiles = Pick<PageAsk, 'runs' | 'deleted'>;

interface Options {
  store: Pick<Store, 'archives' | 'askedArchives' | 'rawEntries'>;
  /** Starts the run of an archive that is due. */
  startRun(archive: ArchiveRecord): Promise<void>;
  /** Where archives without a bucket are. */
  folder: string;
  /** How old an answer may be while new entries come. */
  freshMs?: number;
}

export type FindSegments = ReturnType<typeof createSegments>;

/** The files that have the entries of an application. */
export function createSegments({ store, startRun, folder, freshMs = 10_000 }: Options) {
  const { archives, askedArchives, rawEntries } = store;
  const objects = folderStore(folder);
  const known = new Map<string, { run: number; manifests: LakeManifest[] }>();

  async function isFresh(archive: ArchiveRecord): Promise<boolean> {
    const { lastRun, late } = archive;
    // What came with old times is in no answer yet, although `asOf` is later.
    if (!lastRun || late) return false;
    if (Date.now() - lastRun.plannedAt.getTime() < freshMs) return true;
    return askedArchives.isCurrent(archive, await rawEntries.newestId(archive.application));
  }

  /** Lets a run begin that has all that is there now, and waits for its end. */
  async function wait(before: ArchiveRecord, signal: AbortSignal): Promise<ArchiveRecord> {
    await archives.hurry(before.application, before.id);
    await startRun(before);
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

  async function manifestsOf(archive: ArchiveRecord, place: string): Promise<LakeManifest[]> {
    const found = known.get(archive.id);
    if (found?.run === archive.run) return found.manifests;
    const manifests = await readLive(objects, place, archive);
    if (!manifests) {
      await askedArchives.forget(archive.application);
      throw anew();
    }
    if (known.size >= mostKnown) known.clear();
    known.set(archive.id, { run: archive.run, manifests });
    return manifests;
  }

  /** Throws NotReady. */
  async function filesOf(archive: ArchiveRecord, domain: string): Promise<SegmentFiles> {
    const place = folderOf(archive, domain);
    const manifests = await manifestsOf(archive, place);
    const path = (name: string) => join(folder, place, name);
    return {
      runs: manifests.flatMap(({ files }) =>
        files.length > 0 ? [files.map(({ name, first, last }) => ({ path: path(name), first, last }))] : [],
      ),
      deleted: manifests.flatMap(({ deleted }) => (deleted ? [path(deleted.name)] : [])),
    };
  }

  return {
    /** Files with all entries, no older than `freshMs`. Throws NotReady. */
    async segmentsOf(application: string, domain: string, signal: AbortSignal): Promise<Segments> {
      let archive = await askedArchives.ask(application);
      // A run that was under way may lack what came before the question; the next one has it.
      for (let ended = 0; ended < 2 && !(await isFresh(archive)); ended++)
        archive = await wait(archive, signal);
      const { runs, deleted } = await filesOf(archive, domain);
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
    ): Promise<SegmentFiles & { rest: Rest }> {
      for (let archive = await askedArchives.ask(application); ; ) {
        const rest = await complete(archive);
        if (rest !== undefined) return { ...(await filesOf(archive, domain)), rest };
        const now = await archives.get(application, archive.id);
        archive = now && now.run > archive.run ? now : await wait(archive, signal);
      }
    },
  };
}
