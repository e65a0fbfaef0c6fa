import type { RehearsalJob } from '@sluice/jobs/record/chunked-records.ts';
import { isWithin } from '@sluice/store/entries/cuts.ts';
import { idBytesOf } from '@sluice/store/entries/raw-document.ts';
import type { RawEntries } from '@sluice/store/entries/raw-entries.ts';
import type { EntryRange } from '@sluice/store/entries/split-entries.ts';

const pageEntries = 2_000;

/** The BSON of the entries of a range that a rehearsal checks, oldest first, read a page ahead. */
export async function* readRange(
  entries: RawEntries,
  { application, options: { from, to }, cut }: RehearsalJob,
  { after, until }: EntryRange,
): AsyncGenerator<Buffer[]> {
  const read = (from_: typeof after) => {
    const page = entries.page(application, { from, to, after: from_, until, limit: pageEntries });
    // Its failure is met when it is awaited; until then it is not unhandled.
    page.catch(() => undefined);
    return page;
  };
  for (let next = read(after); cut; ) {
    const { documents, last } = await next;
    if (last === undefined) return;
    next = read(last);
    yield documents.filter((document) => isWithin(cut, idBytesOf(document)));
  }
}
