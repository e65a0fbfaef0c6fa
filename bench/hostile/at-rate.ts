import { setTimeout as pause } from 'node:timers/promises';

/** How often each happened: an HTTP status, or what happened in place of one. */
export type Statuses = Record<string, number>;

/** Sends a request; resolves with the status. */
export type Send = (i: number, signal: AbortSignal) => Promise<number>;

/** Answers that have not come so long after the last request are not waited for. */
const patienceMs = 2_000;

/** Sends at a rate, whatever comes back and when. */
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
