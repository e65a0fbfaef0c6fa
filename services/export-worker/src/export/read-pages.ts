import { announcedIn, createEntryReader } from '@sluice/bson/entry.ts';
import type { Condition } from '@sluice/store/entries/entry-filter.ts';
import type { EntryId } from '@sluice/store/entries/entry-id.ts';
import type { Period } from '@sluice/store/entries/entry-range.ts';
import type { RawEntries, RawPage } from '@sluice/store/entries/raw-entries.ts';

/** The first page is small, so that the first part is ready soon. */
const firstLimit = 200;
const pageBytes = 2 * 1024 ** 2;
const maxLimit = 20_000;

interface Wanted extends Period {
  filter?: Condition[] | undefined;
  /** The members of payloads to read; absent: all. */
  members?: string[] | undefined;
  until: EntryId;
  /** What a later version announces is left out. */
  announced?: number | undefined;
  after?: EntryId | undefined;
}

/** The wanted entries up to `last`; there may be none. Their memory is gone when the next page is read. */
interface Page {
  documents: Buffer[];
  last: EntryId;
}

/** Reads the matching entries up to `until`, oldest first. Requests each page before the reader needs it. */
export async function* readPages(
  entries: RawEntries,
  application: string,
  { after, announced = Number.POSITIVE_INFINITY, ...which }: Wanted,
): AsyncGenerator<Page> {
  const read = (limit: number, from?: EntryId) => {
    const page = entries.page(application, { ...which, after: from, limit });
    // A failure is handled at the later await.
    page.catch(() => undefined);
    return page;
  };
  const reader = createEntryReader();
  let next: Promise<RawPage> | undefined = read(firstLimit, after);
  while (next) {
    const { documents, last, read: looked, free }: RawPage = await next;
    if (last === undefined) return;
    next = last === which.until ? undefined : read(limitFor(looked), last);
    yield { documents: documents.filter((document) => announcedIn(reader(document)) <= announced), last };
    free();
  }
}

/** How many entries of this size make a page. */
const limitFor = ({ entries, bytes }: RawPage['read']) =>
  Math.min(maxLimit, Math.max(1, Math.floor((pageBytes * entries) / bytes)));
