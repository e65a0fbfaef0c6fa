import { announcedIn, createEntryReader, idOf } from '@sluice/bson/entry.ts';
import type { Store } from '@sluice/jobs/connect.ts';
import { ApplicationDeleted, JobFailed } from '@sluice/jobs/kind.ts';
import type { ExportJob } from '@sluice/jobs/record/export-record.ts';
import { LakeFault } from '@sluice/objects/lake/manifest.ts';
import { readLake } from '@sluice/objects/lake/read-lake.ts';
import { type ObjectStore, ObjectStoreError } from '@sluice/objects/object-store.ts';
import type { ArchiveRecord } from '@sluice/store/archives/archive-records.ts';
import { type EntryId, lastIdBefore, lowestId } from '@sluice/store/entries/entry-id.ts';
import type { JsonEntry } from '@sluice/store/entries/match-entries.ts';
import { toDocuments } from './lake-entries.ts';
import { type EntryDocuments, readPages, type WantedEntries } from './read-pages.ts';

export interface ReadEntriesOptions {
  store: Pick<Store, 'applications' | 'archives' | 'matchEntries' | 'rawEntries' | 'removals'>;
  /** Opens what an archive stores its files in. Throws ObjectStoreError. */
  openObjects(archive: Pick<ArchiveRecord, 'to' | 'format'>): ObjectStore;
  /** For copies of files of archives. */
  folder: string;
}

export type ReadEntries = ReturnType<typeof createReadEntries>;

/**
 * Reads the wanted entries of an application, oldest first: up to `archivedUntil` from its archive and MongoDB as one, then from MongoDB.
 * Entries may move into the archive meanwhile, where the job follows: each is there once. The memory of a page is gone when the next is read.
 */
export function createReadEntries({ store, openObjects, folder }: ReadEntriesOptions) {
  const { applications, archives, rawEntries, removals } = store;

  /** Reads from both. Ends early where a run ended meanwhile, as entries may have moved since. */
  async function* readBoth(
    { application, domain }: Pick<ExportJob, 'application' | 'domain'>,
    id: string,
    { after, until, announced = Number.POSITIVE_INFINITY, filter }: WantedEntries & { after: EntryId },
  ): AsyncGenerator<EntryDocuments> {
    // Before the manifests: a run lists them before they are forgotten.
    const removed = new Set<EntryId>();
    for await (const { id } of removals.between(application, 0, Number.MAX_SAFE_INTEGER))
      if (id > after && id <= until) removed.add(id);
    const archive = await archives.get(application, id);
    // A purge removes archives.
    if (!archive) throw new ApplicationDeleted();
    const objects = openObjects(archive);
    const place = { store: objects, folder: domain, temporary: folder };
    const { run, manifests } = archive;
    const lines = readLake(place, { run, manifests, after, until, removed });
    const matches = filter && ((entries: JsonEntry[]) => store.matchEntries(filter, entries));
    const lake = toDocuments(application, lines, matches);
    const pages = readPages(rawEntries, application, { after, until, announced, filter });
    const reader = createEntryReader();
    let archived: EntryDocuments = { documents: [], last: after };
    let stored = archived;
    try {
      for (let last = after; last < until; ) {
        if (archived.last === last) archived = await nextOf(lake, until);
        if (stored.last === last) {
          stored = await nextOf(pages, until);
          if ((await archives.get(application, id))?.run !== run) return;
        }
        last = lower(stored.last, archived.last);
        const isDue = (document: Buffer) => idOf(document) <= last;
        const fromStore = stored.documents.filter(isDue);
        const fromLake = archived.documents.filter(
          (document) => isDue(document) && announcedIn(reader(document)) <= announced,
        );
        yield { documents: union(fromStore, fromLake), last };
        archived = withoutThese(archived, last);
        stored = withoutThese(stored, last);
      }
    } finally {
      await lake.return(undefined);
      objects.close();
    }
  }

  return async function* readEntries(
    job: Pick<ExportJob, 'application' | 'domain' | 'followsArchive'>,
    { from, to, ...which }: WantedEntries,
  ): AsyncGenerator<EntryDocuments> {
    const { application } = job;
    const until = lower(which.until, to && lastIdBefore(to));
    let after = from ? lastIdBefore(from) : lowestId;
    if (which.after !== undefined && which.after > after) after = which.after;
    if (!job.followsArchive) {
      yield* readPages(rawEntries, application, { ...which, after, until });
      return;
    }
    /** What is in an archive alone, of what is not read yet. */
    const archivedBehind = async () => {
      const found = await applications.archived(application);
      return found && found.until > after ? found : undefined;
    };

    while (after < until) {
      const archived = await archivedBehind();
      if (archived) {
        const both = { ...which, after, until: lower(until, archived.until) };
        try {
          for await (const page of readBoth(job, archived.archive, both)) {
            yield page;
            after = page.last;
          }
        } catch (error) {
          if (error instanceof LakeFault || error instanceof ObjectStoreError)
            throw new JobFailed(
              `the entries of the archive ${archived.archive} cannot be read: ${error.message}`,
            );
          throw error;
        }
        continue;
      }
      let hasMoved = false;
      for await (const page of readPages(rawEntries, application, { ...which, after, until })) {
        hasMoved = (await archivedBehind()) !== undefined;
        if (hasMoved) break;
        yield page;
        after = page.last;
      }
      if (!hasMoved && !(await archivedBehind())) return;
    }
  };
}

const nextOf = async (chunks: AsyncGenerator<EntryDocuments>, until: EntryId): Promise<EntryDocuments> => {
  const { value, done } = await chunks.next();
  return done ? { documents: [], last: until } : value;
};

const withoutThese = ({ documents, last }: EntryDocuments, upTo: EntryId): EntryDocuments => ({
  documents: documents.filter((document) => idOf(document) > upTo),
  last,
});

/** Both in the order of ids; an entry that is in both is taken from the first. */
function union(first: Buffer[], second: Buffer[]): Buffer[] {
  if (first.length === 0) return second;
  const ids = new Set(first.map(idOf));
  const all = [...first, ...second.filter((document) => !ids.has(idOf(document)))];
  return all.toSorted((a, b) => (idOf(a) < idOf(b) ? -1 : 1));
}

const lower = (one: EntryId, other: EntryId | undefined) =>
  other !== undefined && other < one ? other : one;
