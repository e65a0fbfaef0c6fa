import type { EntryId } from './entry-id.ts';
import type { RawEntries, RawPage, RawSelection } from './raw-entries.ts';

/** Reads all pages, and requests each before it is needed. `limitOf`: how many entries a page has, by what the one before had. */
export async function* readAhead(
  entries: Pick<RawEntries, 'page'>,
  application: string,
  which: RawSelection,
  limitOf: (before?: RawPage['read']) => number,
): AsyncGenerator<RawPage & { last: EntryId }> {
  const request = (after?: EntryId, before?: RawPage['read']) => {
    const page = entries.page(application, { ...which, after, limit: limitOf(before) });
    // A failure is handled at the later await.
    page.catch(() => undefined);
    return page;
  };
  let next: Promise<RawPage> | undefined = request(which.after);
  while (next) {
    const { last, ...page }: RawPage = await next;
    if (last === undefined) return;
    next = last === which.until ? undefined : request(last, page.read);
    yield { ...page, last };
  }
}
