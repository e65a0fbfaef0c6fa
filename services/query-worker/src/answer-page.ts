import type { Store } from '@sluice/jobs/connect.ts';
import type { MatchingPage } from '@sluice/store/entries/beside-files.ts';
import { selectionOf } from '@sluice/store/entries/entry-filter.ts';
import type { Reply } from './duck/ask.ts';
import type { PageAnswer } from './duck/page.ts';
import { toFileConditions } from './file-conditions.ts';
import type { Processes } from './processes.ts';
import type { Outside } from './queue.ts';
import type { FindSegments } from './segments.ts';
import type { Asked } from './server.ts';

/** `filter`: conditions as records keep them. `from` and `to`: ISO 8601. */
export type AskedPage = Asked &
  Pick<MatchingPage, 'order' | 'cursor' | 'start' | 'limit'> & {
    filter: string;
    from?: string;
    to?: string;
    byColumns?: boolean;
  };

interface Dependencies {
  segments: Pick<FindSegments, 'completed'>;
  store: Pick<Store, 'entries' | 'foldedLetters'>;
  processes: Pick<Processes, 'ask'>;
  /** A list waits no longer for a run: meanwhile MongoDB can answer. */
  runMs?: number;
}

/** Finds pages in files, and in MongoDB what no file has. */
export function createAnswerPage({ segments, store, processes, runMs = 2_000 }: Dependencies) {
  return async (
    {
      application,
      domain,
      filter: text,
      from,
      to,
      order,
      cursor,
      start,
      limit,
      byColumns = false,
    }: AskedPage,
    signal: AbortSignal,
    outside?: Outside,
  ): Promise<Reply<PageAnswer & { end: string | undefined }>> => {
    const filter = selectionOf({ filter: text }).filter ?? [];
    const period = { from: from ? new Date(from) : undefined, to: to ? new Date(to) : undefined };
    const page = { order, cursor, start, limit };
    const { rest, runs, deleted } = await segments.completed(
      application,
      domain,
      (archive) => store.entries.besideFiles(archive, { filter, ...period, ...page }),
      AbortSignal.any([signal, AbortSignal.timeout(runMs)]),
      outside,
    );
    const { end, after, removed, ...others } = rest;
    const reply = await processes.ask(
      'page',
      {
        files: runs.flat().map(({ path }) => path),
        runs,
        deleted,
        conditions: await toFileConditions(store, filter),
        from,
        to,
        after,
        removed,
        others,
        end,
        byColumns,
        ...page,
      },
      signal,
    );
    return 'refusal' in reply ? reply : { answer: { ...reply.answer, end } };
  };
}
