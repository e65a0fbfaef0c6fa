import { announcedIn, createEntryReader, idOf } from '@sluice/bson/entry.ts';
import type { Store } from '@sluice/jobs/connect.ts';
import type { ArchivePlan } from '@sluice/jobs/record/archive-record.ts';
import type { EntryId } from '@sluice/store/entries/entry-id.ts';
import { readPages } from '../export/read-pages.ts';

interface Where {
  /** Continues after this entry. */
  after: EntryId | undefined;
  /** The members of payloads that are read; absent: all. */
  members?: string[] | undefined;
}

/** Reads the entries that a run archives, in the order of their ids. The memory of a page is gone when the next is read. */
export async function* readRun(
  { rawEntries }: Pick<Store, 'rawEntries'>,
  application: string,
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
  for await (const page of readPages(rawEntries, application, { until, announced, after, members })) {
    const [first] = page.documents;
    const isLate = first && before.until !== undefined && idOf(first) <= before.until;
    yield isLate ? page.documents.filter(isNew) : page.documents;
  }
}
