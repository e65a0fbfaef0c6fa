import type { Store } from '@sluice/jobs/connect.ts';
import type { ApplicationRecord } from '@sluice/store/applications/applications.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const month = 720;
const shortest = 5;

/** The longest run of steps without an entry that ended with one. */
export function longestGap(counts: number[]): number {
  const filled = counts.flatMap((count, step) => (count > 0 ? [step] : []));
  return filled.reduce((longest, step, i) => Math.max(longest, step - (filled[i - 1] ?? step) - 1), 0);
}

/** Minutes of silence that were unusual in the last month: half again as long as the longest gap. Undefined without entries. */
export async function proposeSilence(
  entries: Pick<Store['entries'], 'sumSteps'>,
  { id, hasDeletions }: ApplicationRecord,
): Promise<number | undefined> {
  const counts = async (length: number, count: number) => {
    const from = (Math.floor(Date.now() / length) - count + 1) * length;
    const steps = { from, length, count };
    return (await entries.sumSteps(id, steps, !hasDeletions, () => undefined)).rest;
  };
  const hours = await counts(hourMs, month);
  if (!hours.some((count) => count > 0)) return undefined;
  const gap = longestGap(hours);
  // The entries around it may be up to an hour further apart on each side.
  if (gap > 0) return Math.ceil(1.5 * (gap + 2)) * 60;
  const minutes = longestGap(await counts(minuteMs, month));
  return Math.max(shortest, Math.ceil(1.5 * (minutes + 2)));
}
