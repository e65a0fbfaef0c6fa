import { setTimeout as pause } from 'node:timers/promises';
import { payloadOf, type Shape } from '../support/payload.ts';

const perSecond = 1_000;
const batchesPerSecond = 10;

/** Calls `work` so many times, at a constant rate, and waits for all calls. */
async function atRate(perSecond: number, seconds: number, work: () => Promise<unknown>): Promise<void> {
  const began = performance.now();
  const calls: Promise<unknown>[] = [];
  for (let at = 0; at < perSecond * seconds; at++) {
    await pause(Math.max(0, began + (1_000 * at) / perSecond - performance.now()));
    calls.push(work());
  }
  await Promise.all(calls);
}

/** Asks once a second while 1,000 entries a second come in batches. Resolves with the times of the answers in ms, sorted. */
export async function whileEntriesCome(
  { url, shape, seconds }: { url: string; shape: Shape; seconds: number },
  ask: () => Promise<unknown>,
): Promise<number[]> {
  const lines = Array.from({ length: perSecond / batchesPerSecond }, (_, i) => payloadOf(1_024, shape, i));
  const body = lines.map((line) => `${line}\n`).join('');
  const times: number[] = [];
  await Promise.all([
    atRate(batchesPerSecond, seconds, async () => {
      const headers = { 'content-type': 'application/x-ndjson' };
      const answer = await fetch(`${url}/batch`, { method: 'POST', body, headers });
      if (!answer.ok) throw new Error(`a batch was answered ${answer.status}`);
      await answer.arrayBuffer();
    }),
    atRate(1, seconds, async () => {
      const began = performance.now();
      await ask();
      times.push(performance.now() - began);
    }),
  ]);
  return times.toSorted((a, b) => a - b);
}
