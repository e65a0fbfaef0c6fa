import type { Store } from '@sluice/jobs/connect.ts';
import type { Logger } from '@sluice/shared/logger.ts';
import { repeat } from '@sluice/shared/repeat.ts';
import { createClockWatch } from './clock-watch.ts';
import { createSetMilestones } from './set-milestones.ts';

const lookEveryMs = 1_000;
const setEveryMs = 30_000;

/** Sets milestones as long as the worker runs, beside its jobs. Returns how to stop, before the store is closed. */
export function startMilestones(store: Store, log: Logger): () => void {
  const { look, finalUntil } = createClockWatch({ ask: store.clock });
  const setMilestones = createSetMilestones({ ...store, finalUntil, log });
  const stopping = new AbortController();
  const missed = (event: string) => (error: Error) => log.debug({ event, reason: error.message });

  async function removeSilent(): Promise<void> {
    const final = finalUntil();
    if (final !== undefined) await store.horizon.removeSilent(final);
  }

  const stopLooking = repeat(lookEveryMs, () => look().then(removeSilent).catch(missed('clock.missed')));
  const stopSetting = repeat(setEveryMs, () =>
    setMilestones(stopping.signal).catch(missed('milestones.missed')),
  );
  return () => {
    stopping.abort();
    stopLooking();
    stopSetting();
  };
}
