import type { Logger } from '@sluice/shared/logger.ts';
import { repeat } from '@sluice/shared/repeat.ts';
import type { Store } from '@sluice/store/connect.ts';
import { createClockWatch } from './clock-watch.ts';
import { createSettle } from './settle.ts';

const lookEveryMs = 1_000;
const settleEveryMs = 30_000;

/** Sets milestones as long as the worker runs, beside its jobs. Returns how to stop, before the store is closed. */
export function startSettling(store: Store, log: Logger): () => void {
  const { look, settledUntil } = createClockWatch({ ask: store.clock });
  const settle = createSettle({ ...store, openSince: store.chunks.openSince, settledUntil, log });
  const stopping = new AbortController();
  const missed = (event: string) => (error: Error) => log.debug({ event, reason: error.message });

  const stopLooking = repeat(lookEveryMs, () => look().catch(missed('clock.missed')));
  const stopSettling = repeat(settleEveryMs, () => settle(stopping.signal).catch(missed('settle.missed')));
  return () => {
    stopping.abort();
    stopLooking();
    stopSettling();
  };
}
