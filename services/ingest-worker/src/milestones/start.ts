import type { Store } from '@sluice/jobs/connect.ts';
import type { Logger } from '@sluice/shared/logger.ts';
import { repeat } from '@sluice/shared/repeat.ts';
import { createClockWatch } from './clock-watch.ts';
import { createSetMilestones } from './set-milestones.ts';

const lookEveryMs = 1_000;
const setEveryMs = 30_000;

/** Sets milestones and removes dead writers, beside the jobs of the worker. Returns how to stop, before the store is closed. */
export function startMilestones(store: Store, log: Logger): () => void {
  const { look, decidedUntil } = createClockWatch({ ask: store.horizon.confirm });
  const setMilestones = createSetMilestones({ ...store, log });
  const stopping = new AbortController();
  const missed = (event: string) => (error: Error) => log.debug({ event, reason: error.message });

  async function removeSilent(): Promise<void> {
    await look();
    const decided = decidedUntil();
    if (decided === undefined || !(await store.horizon.hasSilent(decided))) return;
    // The dead told nobody of its last entries.
    await store.webhooks.noteAny();
    await store.horizon.removeSilent(decided);
  }

  const stopLooking = repeat(lookEveryMs, () => removeSilent().catch(missed('clock.missed')));
  const stopSetting = repeat(setEveryMs, () =>
    setMilestones(stopping.signal).catch(missed('milestones.missed')),
  );
  return () => {
    stopping.abort();
    stopLooking();
    stopSetting();
  };
}
