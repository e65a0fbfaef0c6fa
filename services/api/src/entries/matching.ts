import { ApiError } from '@sluice/shared/errors.ts';
import type { ApplicationRecord } from '@sluice/store/applications/applications.ts';
import type { StoredEntry } from '@sluice/store/entries/entry-document.ts';
import { FilterTimeout, toText } from '@sluice/store/entries/entry-filter.ts';
import type { ForwardPage } from '@sluice/store/entries/forward-entries.ts';
import type { Selection } from '@sluice/store/entries/list-entries.ts';
import type { AppDependencies } from '../dependencies.ts';
import { createAskWorker } from '../http/ask-worker.ts';

interface Wanted {
  application: Pick<ApplicationRecord, 'id' | 'domain' | 'hasDeletions'>;
  /** Who asks. */
  owner: string;
  /** Aborts when nobody waits for the answer. */
  gone: AbortSignal;
}

type Order = 'newest' | 'oldest';

/** The order of a field's values. */
export interface Sort {
  path: string[];
  descending: boolean;
}

/** What a query worker answers. */
interface Found {
  ids: string[];
  total: number;
  end?: string;
}

/** See `createReadPage`. */
interface FoundPage {
  found: StoredEntry[];
  total: number;
  isLast?: boolean;
  end?: string | undefined;
}

/**
 * Reads and counts entries by a filter: a query worker looks into files where that is faster than MongoDB, which owners read in
 * turn.
 */
export function createMatching({
  store,
  config,
  log,
  timings,
  capacity: { pageReads },
}: Pick<AppDependencies, 'store' | 'config' | 'log' | 'timings' | 'capacity'>) {
  const { entries } = store;
  const ask = createAskWorker(config, log);

  const askOf = (
    path: '/pages' | '/sorted',
    { application: { id: application, domain }, owner, gone }: Wanted,
    { filter = [], from, to }: Selection,
    page: object,
  ) => ask(path, { application, domain, owner, filter: toText(filter), from, to, ...page }, gone);

  async function askPage(
    wanted: Wanted,
    selection: Selection,
    page: { order: Order; cursor?: string | undefined; start: number; limit: number; byColumns: boolean },
  ): Promise<Found> {
    return (await (await askOf('/pages', wanted, selection, page)).json()) as Found;
  }

  /**
   * Files answer first where their columns decide. Else MongoDB does, and files with the payloads where it takes too long.
   * Throws FilterTimeout, and ApiError where a query worker may soon answer.
   */
  async function either<T>(
    { application: { id, hasDeletions }, owner }: Wanted,
    { filter, from, to }: Selection,
    byFiles: (byColumns: boolean) => Promise<T>,
    read: () => Promise<T>,
  ): Promise<T> {
    const inTurn = <R>(work: () => Promise<R>) => pageReads.runInFairOrder(owner, work);
    const byMongodb = () => inTurn(read);
    const isFew = async () =>
      (await inTurn(() => entries.count(id, { from, to, isIntact: !hasDeletions }))) <= timings.fewEntries;
    if (!filter || !config.queryUrl || (await isFew())) return byMongodb();
    const byColumns = await unlessRefused(byFiles(true));
    if (!(byColumns instanceof ApiError)) return byColumns;
    try {
      return await byMongodb();
    } catch (error) {
      if (!(error instanceof FilterTimeout)) throw error;
      const byPayload = await unlessRefused(byFiles(false));
      if (!(byPayload instanceof ApiError)) return byPayload;
      const isLater = ['ServiceUnavailableError', 'TooManyRequestsError'].includes(byPayload.name);
      throw isLater ? byPayload : error;
    }
  }

  async function newestFirst(id: string, { after, ...page }: ForwardPage): Promise<FoundPage> {
    const { entries: found, total } = await entries.page(id, { ...page, before: after });
    return { found, total };
  }

  async function oldestFirst(id: string, page: ForwardPage): Promise<FoundPage> {
    const reading = [entries.forward(id, page), entries.count(id, page)] as const;
    // If one fails, the other still uses a connection.
    await Promise.allSettled(reading);
    const [{ entries: found, end }, total] = await Promise.all(reading);
    return { found, end, total };
  }

  return {
    page(wanted: Wanted, order: Order, page: ForwardPage): Promise<FoundPage> {
      const { id } = wanted.application;
      return either(
        wanted,
        page,
        async (byColumns) => {
          const { start, limit, after, onRead } = page;
          const asked = { order, cursor: after, start, limit, byColumns };
          const { ids, total, end } = await askPage(wanted, page, asked);
          const isLast = ids.length < limit;
          const shown = ids.slice(0, limit - 1);
          const found = await pageReads.runInFairOrder(wanted.owner, () => entries.byIds(id, shown, onRead));
          return {
            found,
            total,
            isLast,
            end: isLast ? (order === 'oldest' ? end : undefined) : shown.at(-1),
          };
        },
        () => (order === 'oldest' ? oldestFirst : newestFirst)(id, page),
      );
    },

    /** A page sorted by a field. The order has every entry up to `asOf`. Throws ApiError where no query worker answers. */
    async sorted(
      wanted: Wanted,
      { start, limit, onRead, ...selection }: Selection & Omit<ForwardPage, 'after'>,
      sort: Sort,
    ): Promise<FoundPage & { asOf: string | null }> {
      const { application, owner } = wanted;
      const answer = await askOf('/sorted', wanted, selection, { ...sort, start, limit: limit - 1 });
      const { ids, total } = (await answer.json()) as Found;
      const found = await pageReads.runInFairOrder(owner, () => entries.byIds(application.id, ids, onRead));
      const isLast = start + ids.length >= total;
      return { found, total, isLast, asOf: answer.headers.get('sluice-as-of') };
    },

    count(wanted: Wanted, selection: Selection): Promise<number> {
      return either(
        wanted,
        selection,
        async (byColumns) =>
          (await askPage(wanted, selection, { order: 'newest', start: 0, limit: 0, byColumns })).total,
        () => entries.count(wanted.application.id, selection),
      );
    },
  };
}

const unlessRefused = <T>(answer: Promise<T>): Promise<T | ApiError> =>
  answer.catch((error) => {
    if (error instanceof ApiError) return error;
    throw error;
  });
