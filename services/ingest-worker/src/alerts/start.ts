import type { Store } from '@sluice/jobs/connect.ts';
import { within } from '@sluice/shared/deadline.ts';
import type { Logger } from '@sluice/shared/logger.ts';
import { type Metrics, scrapeMs } from '@sluice/shared/metrics/metrics.ts';
import { repeat } from '@sluice/shared/repeat.ts';
import { createLook } from './look.ts';
import { createWatchSilence } from './watch-silence.ts';

const leaseMs = 60_000;
/** After it, alerts wait for the next pass. */
const passMs = 5_000;

interface Dependencies {
  store: Store;
  metrics: Pick<Metrics, 'gauge'>;
  log: Logger;
  /** How often alerts that are due are taken, and how often sources are looked at, by all workers together. */
  alertsMs: number;
  silenceMs: number;
}

/** Finds what users want to be told, beside the jobs of the worker. Returns how to stop, before the store is closed. */
export function startAlerts({ store, metrics, log, alertsMs, silenceMs }: Dependencies): () => void {
  const { alerts, serving, sources } = store;
  const look = createLook(store);
  const watchSilence = createWatchSilence(store);
  const missed = (event: string) => (error: Error) => log.debug({ event, reason: error.message });

  metrics.gauge('sluice_silent_applications', async () => {
    const silent = within(scrapeMs, 'MongoDB does not answer', sources.countSilent());
    return silent.then(
      (value) => [{ value, labels: {} }],
      () => [],
    );
  });

  async function lookAtDue(): Promise<void> {
    const began = performance.now();
    while (performance.now() - began < passMs) {
      const alert = await alerts.take(leaseMs);
      if (!alert) return;
      await alerts.release(alert, await look(alert));
    }
  }

  const stopLooking = repeat(alertsMs, () => lookAtDue().catch(missed('alerts.missed')));
  const stopWatching = repeat(silenceMs, async () => {
    // Half of it: the turns of a single worker are a little apart.
    const isOurs = await serving.takeTurn(silenceMs / 2).catch(() => false);
    if (isOurs) await watchSilence().catch(missed('silence.missed'));
  });
  return () => {
    stopLooking();
    stopWatching();
  };
}
