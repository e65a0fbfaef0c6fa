import { setTimeout as pause } from 'node:timers/promises';

/** Counts by HTTP status, or by the failure. */
export type Statuses = Record<string, number>;

/** Sends a request; resolves with the status. */
export type Send = (i: number, signal: AbortSignal) => Promise<number>;

/** How long it waits for answers after the last request. */
const patienceMs = 2_000;

/** Sends at a fixed rate, whatever the answers. */
export async function atRate(perSecond: number, seconds: number, send: Send): Promise<Statuses> {
  const statuses: Statuses = {};
  const end = new AbortController();
  const count = (status: string | number) => {
    statuses[status] = (statuses[status] ?? 0) + 1;
  };
  const asked: Promise<void>[] = [];
  const began = performance.now();
  for (let i = 0; i < perSecond * seconds; i++) {
    const waitMs = began + (1_000 * i) / perSecond - performance.now();
    if (waitMs > 0) await pause(waitMs);
    asked.push(send(i, end.signal).then(count, () => count(end.signal.aborted ? 'no answer' : 'cut off')));
  }
  const patience = setTimeout(() => end.abort(), patienceMs);
  await Promise.all(asked);
  clearTimeout(patience);
  return statuses;
}
