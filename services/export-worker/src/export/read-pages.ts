import { type Cut, isWithin, isWithinUntil } from '@sluice/store/entries/cuts.ts';
import type { EntryId } from '@sluice/store/entries/entry-id.ts';
import type { Period } from '@sluice/store/entries/entry-range.ts';
import { idBytesOf, timeOf } from '@sluice/store/entries/raw-document.ts';
import type { RawEntries, RawPage } from '@sluice/store/entries/raw-entries.ts';

/** The first page is small, so that the first part is there soon. */
const firstLimit = 200;
const pageBytes = 2 * 1024 ** 2;
const maxLimit = 20_000;

/** The documents of all entries on this side of a cut, oldest first, a page ahead of the reader. */
export async function* readPages(
  entries: RawEntries,
  application: string,
  { cut, after, ...period }: Period & { cut: Cut; after?: EntryId | undefined },
): AsyncGenerator<Buffer[]> {
  const read = (limit: number, from?: EntryId) => {
    const page = entries.page(application, { ...period, after: from, until: cut.until, limit });
    // Its failure is met when it is awaited; until then it is not unhandled.
    page.catch(() => undefined);
    return page;
  };
  let next: Promise<RawPage> | undefined = read(firstLimit, after);
  while (next) {
    const { documents, last }: RawPage = await next;
    if (last === undefined) return;
    next = last === cut.until ? undefined : read(limitFor(documents), last);
    yield timeOf(documents.at(-1) as Buffer) < isWithinUntil(cut)
      ? documents
      : documents.filter((document) => isWithin(cut, idBytesOf(document)));
  }
}

/** As many entries of this size as make a page. */
function limitFor(documents: Buffer[]): number {
  const bytes = documents.reduce((sum, { length }) => sum + length, 0);
  return Math.min(maxLimit, Math.max(1, Math.floor((pageBytes * documents.length) / bytes)));
}
