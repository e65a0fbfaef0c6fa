import type { EntryStore, Period, StoredEntry } from '@sluice/shared/store/entries.ts';
import type { EntryId } from '@sluice/shared/store/entry-id.ts';

/** The first page is small, so that the first part is there soon. */
const firstPageSize = 200;
const pageSize = 1_000;

/** Entries up to one of them, oldest first, a page ahead of the reader. */
export async function* readEntries(
  entries: EntryStore,
  application: string,
  { after, until, ...period }: Period & { after?: EntryId | undefined; until: EntryId },
): AsyncGenerator<StoredEntry[]> {
  const read = (limit: number, from?: EntryId) =>
    entries.range(application, { ...period, after: from, until, limit });
  let limit = firstPageSize;
  let next: Promise<StoredEntry[]> | undefined = read(limit, after);
  while (next) {
    const page: StoredEntry[] = await next;
    next = page.length === limit ? read(pageSize, page.at(-1)?.id) : undefined;
    limit = pageSize;
    // Its failure is met when it is awaited; until then it is not unhandled.
    next?.catch(() => undefined);
    if (page.length > 0) yield page;
  }
}
