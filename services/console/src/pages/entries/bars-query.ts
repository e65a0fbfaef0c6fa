import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { Application } from '../../api/applications.ts';
import { client, dataOf } from '../../api/client.ts';
import { type Bars, boundsOf, hasEnd, isInverted, type Last, type PickedPeriod, toBars } from './period.ts';

const refreshMs = 10_000;
/** Of the chart of a new application. */
const shortestMs = 3_600_000;

export interface Counts extends Bars {
  accepted: number[];
  refused: number[];
}

/** When the first upload of an application may have come: imports can bring entries that are older. */
async function beginOf({ domain, createdAt }: Application, signal: AbortSignal): Promise<number> {
  const params = { path: { domain }, query: { order: 'oldest' as const, limit: 1 } };
  const { result } = await dataOf(client.GET('/api/applications/{domain}/data', { params, signal }));
  return Math.min(...[createdAt, ...result.map((entry) => entry.createdAt)].map(Date.parse));
}

async function readCounts(
  application: Application,
  period: PickedPeriod,
  signal: AbortSignal,
): Promise<Counts> {
  const to = period.to ? Date.parse(period.to) : Date.now();
  const begin = period.from
    ? Date.parse(period.from)
    : Math.min(await beginOf(application, signal), to - shortestMs);
  const bars = toBars(begin, to);
  const read = bars.requests.map((bounds) => {
    const query = { ...bounds, step: bars.step };
    const params = { path: { domain: application.domain }, query };
    return dataOf(client.GET('/api/applications/{domain}/stats', { params, signal }));
  });
  const accepted: number[] = Array(bars.count).fill(0);
  const refused: number[] = Array(bars.count).fill(0);
  for (const step of (await Promise.all(read)).flat()) {
    const bar = Math.max(Math.floor((Date.parse(step.at) - bars.begin) / bars.length), 0);
    accepted[bar] = (accepted[bar] ?? 0) + step.accepted;
    refused[bar] = (refused[bar] ?? 0) + step.refused;
  }
  return { ...bars, accepted, refused };
}

/** How many uploads came in each part of a period. */
export const barsQuery = (application: Application, period: PickedPeriod & { last: Last }) =>
  queryOptions({
    queryKey: ['entries', application.domain, 'bars', period],
    queryFn: ({ signal }) => readCounts(application, boundsOf(period, Date.now()), signal),
    enabled: !isInverted(period),
    placeholderData: keepPreviousData,
    refetchInterval: hasEnd(period) ? false : refreshMs,
  });
