import { announcedIn, createEntryReader } from '@sluice/bson/entry.ts';
import type { EntryId } from '@sluice/store/entries/entry-id.ts';
import type { RawEntries, RawPage, RawSelection } from '@sluice/store/entries/raw-entries.ts';
import { readAhead } from '@sluice/store/entries/read-ahead.ts';

/** The first page is small, so that the first part is ready soon. */
const firstLimit = 200;
const pageBytes = 2 * 1024 ** 2;
const maxLimit = 20_000;

export interface WantedEntries extends RawSelection {
  /** What a later version announces is left out. */
  announced?: number | undefined;
}

/** The wanted entries up to `last`; there may be none. Their memory is gone when the next page is read. */
export interface EntryDocuments {
  documents: Buffer[];
  last: EntryId;
}

/** Reads the matching entries up to `until`, oldest first. */
export async function* readPages(
  entries: RawEntries,
  application: string,
  { announced = Number.POSITIVE_INFINITY, ...which }: WantedEntries,
): AsyncGenerator<EntryDocuments> {
  const reader = createEntryReader();
  for await (const { documents, last, free } of readAhead(entries, application, which, limitFor)) {
    yield { documents: documents.filter((document) => announcedIn(reader(document)) <= announced), last };
    free();
  }
}

/** How many entries of the size before make a page. */
const limitFor = (before?: RawPage['read']) =>
  before
    ? Math.min(maxLimit, Math.max(1, Math.floor((pageBytes * before.entries) / before.bytes)))
    : firstLimit;
