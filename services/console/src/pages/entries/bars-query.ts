import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { Application } from '../../api/applications.ts';
import { client, dataOf } from '../../api/client.ts';
import { RequestFailure } from '../../api/failure.ts';
import { type Lost, noneLost, sumLost } from '../../api/losses.ts';
import { type ListSelection, toQuery } from './entries-query.ts';
import { type Bars, hasEnd, isInverted, toBars } from './period.ts';

const refreshMs = 10_000;
/** Of the chart of a new application. */
const shortestMs = 3_600_000;

export interface Counts extends Bars {
  accepted: number[];
  refused: number[];
  lost: Lost[];
  /** Whether the counts are of all entries, as no query worker answered. */
  ignoresFilter: boolean;
}

/** When the first upload of an application may have come: imports can bring entries that are older. */
async function beginOf({ domain, createdAt }: Application, signal: AbortSignal): Promise<number> {
  const params = { path: { domain }, query: { order: 'oldest' as const, limit: 1 } };
  const { result } = await dataOf(client.GET('/api/applications/{domain}/data', { params, signal }));
  return Math.min(...[createdAt, ...result.map((entry) => entry.createdAt)].map(Date.parse));
}

/** With a filter, those of entries that a query worker counts; where none answers, those of all. */
async function readCounts(
  application: Application,
  { filter, ...period }: ReturnType<typeof toQuery>,
  signal: AbortSignal,
): Promise<Counts> {
  const to = period.to ? Date.parse(period.to) : Date.now();
  const begin = period.from
    ? Date.parse(period.from)
    : Math.min(await beginOf(application, signal), to - shortestMs);
  const bars = toBars(begin, to);
  const read = (selected: { filter?: string }) =>
    Promise.all(
      bars.requests.map((bounds) => {
        const query = { ...bounds, step: bars.step, ...selected };
        const params = { path: { domain: application.domain }, query };
        return dataOf(client.GET('/api/applications/{domain}/stats', { params, signal }));
      }),
    );
  let ignoresFilter = false;
  const steps = await read(filter ? { filter } : {}).catch((failure) => {
    if (!filter || !(failure instanceof RequestFailure) || failure.status !== 503) throw failure;
    ignoresFilter = true;
    return read({});
  });
  const accepted: number[] = Array(bars.count).fill(0);
  const refused: number[] = Array(bars.count).fill(0);
  const lost: Lost[] = Array(bars.count).fill(noneLost);
  for (const step of steps.flat()) {
    const bar = Math.max(Math.floor((Date.parse(step.at) - bars.begin) / bars.length), 0);
    accepted[bar] = (accepted[bar] ?? 0) + step.accepted;
    refused[bar] = (refused[bar] ?? 0) + (step.refused ?? 0);
    lost[bar] = sumLost([lost[bar] ?? noneLost, step.lost ?? noneLost]);
  }
  return { ...bars, accepted, refused, lost, ignoresFilter };
}

/** How many uploads came in each part of a period; with a filter, how many entries. */
export const barsQuery = (application: Application, selection: ListSelection) =>
  queryOptions({
    queryKey: ['entries', application.domain, 'bars', selection],
    queryFn: ({ signal }) => readCounts(application, toQuery(selection), signal),
    enabled: !isInverted(selection),
    placeholderData: keepPreviousData,
    refetchInterval: hasEnd(selection) ? false : refreshMs,
  });
