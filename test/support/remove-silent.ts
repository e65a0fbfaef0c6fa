import { createClockWatch } from '@sluice/ingest-worker/milestones/clock-watch.ts';
import { repeat } from '@sluice/shared/repeat.ts';
import { storeFault } from '@sluice/store/faults.ts';
import { onTestFinished } from 'vitest';
import { openStore } from './own-database.ts';

/** Removes dead writers. `silentMs` must exceed the silence of a living API. Call in a test. */
export function removeSilent(url: string, silentMs = 20_000): void {
  const store = openStore(url);
  const watch = createClockWatch({ ask: store.horizon.confirm, watchMs: silentMs });
  let running = Promise.resolve();
  const stop = repeat(500, () => {
    running = watch
      .look()
      .then(() => store.horizon.removeSilent(watch.decidedUntil() ?? 0))
      // While there is no primary, the next round is soon enough.
      .catch((error) => {
        if (!storeFault(error)) throw error;
      });
    return running;
  });
  onTestFinished(async () => {
    stop();
    await running;
  });
}
