import { announcedIn, createEntryReader, idOf } from '@sluice/bson/entry.ts';
import type { ArchiveJob, ArchivePlan } from '@sluice/jobs/record/archive-record.ts';
import type { ArchiveRecord } from '@sluice/store/archives/archive-records.ts';
import type { EntryId } from '@sluice/store/entries/entry-id.ts';
import { createReadEntries, type ReadEntriesOptions } from '../export/read-entries.ts';
import { type EntryDocuments, readPages, type WantedEntries } from '../export/read-pages.ts';

/** Reads entries in the order of their ids. The memory of a page is gone when the next is read. */
export type ReadPages = (wanted: WantedEntries) => AsyncGenerator<EntryDocuments>;

/** What runs read: for questions also entries that are in an archive of the owner alone. */
export function createPagesOf({ store, ...options }: ReadEntriesOptions) {
  const readEntries = createReadEntries({ store, ...options });
  return (
    job: Pick<ArchiveJob, 'application' | 'domain'>,
    { asked }: Pick<ArchiveRecord, 'asked'>,
  ): ReadPages =>
    asked
      ? (wanted) => readEntries({ ...job, followsArchive: true }, wanted)
      : (wanted) => readPages(store.rawEntries, job.application, wanted);
}

interface Where {
  /** Continues after this entry. */
  after: EntryId | undefined;
  /** The members of payloads that are read; absent: all. */
  members?: string[] | undefined;
}

/** Reads the entries that a run archives, as `readPages` does. */
export async function* readRun(
  read: ReadPages,
  { before, covers }: ArchivePlan,
  { after, members }: Where,
): AsyncGenerator<Buffer[]> {
  const { until, announced } = covers;
  if (until === undefined) return;
  const reader = createEntryReader();
  /** Up to `before.until`, the runs before have all but what was announced since. */
  const isNew = (document: Buffer) =>
    before.until === undefined ||
    idOf(document) > before.until ||
    announcedIn(reader(document)) > before.announced;
  for await (const page of read({ until, announced, after, members })) {
    const [first] = page.documents;
    const isLate = first && before.until !== undefined && idOf(first) <= before.until;
    yield isLate ? page.documents.filter(isNew) : page.documents;
  }
}
