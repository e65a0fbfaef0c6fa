import { setTimeout as pause } from 'node:timers/promises';
import { ApiFailure } from './answer.ts';
import { NoAnswer } from './no-answer.ts';

/** How long a command waits for a server that is away; shorter before it has answered once. */
export interface Patience {
  firstMs: number;
  laterMs: number;
}

export const usualPatience: Patience = { firstMs: 10_000, laterMs: 600_000 };

const transient = new Set([408, 500, 502, 503, 504]);
const [leastMs, mostMs] = [500, 30_000];

/** Whether the same request may succeed later. */
const isTransient = (error: unknown) =>
  error instanceof NoAnswer ||
  (error instanceof ApiFailure &&
    (transient.has(error.status) || (error.status === 429 && error.retryAfter !== undefined)));

/** Repeats work after passing faults. Throws a fault that lasts longer than the patience. */
export function createRetry(
  signal: AbortSignal,
  onWait: (error: Error) => void,
  { firstMs, laterMs }: Patience = usualPatience,
) {
  let hasAnswered = false;
  let isTold = false;
  return async function retry<T>(work: () => Promise<T>): Promise<T> {
    let failingSince: number | undefined;
    for (let tries = 0; ; tries++) {
      const began = performance.now();
      try {
        const done = await work();
        hasAnswered = true;
        return done;
      } catch (error) {
        signal.throwIfAborted();
        if (!isTransient(error)) throw error;
        if (error instanceof ApiFailure) hasAnswered = true;
        // The wait for a connection counts too.
        failingSince ??= error instanceof NoAnswer && error.isConnectTimeout ? began : performance.now();
        const isAsked = error instanceof ApiFailure && error.status === 429;
        const leftMs = failingSince + (hasAnswered ? laterMs : firstMs) - performance.now();
        if (!isAsked && leftMs <= 0) throw error;
        if (!isTold) onWait(error as Error);
        isTold = true;
        const delayMs = Math.random() * Math.min(mostMs, leastMs * 2 ** Math.min(tries, 10));
        const asked = error instanceof ApiFailure ? error.retryAfter : undefined;
        await pause(asked === undefined ? Math.min(delayMs, leftMs) : asked * 1_000, undefined, { signal });
      }
    }
  };
}
