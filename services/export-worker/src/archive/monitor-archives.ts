import type { Store } from '@sluice/jobs/connect.ts';
import { within } from '@sluice/shared/deadline.ts';
import { type Metrics, scrapeMs } from '@sluice/shared/metrics/metrics.ts';

/** Asks at each scrape how late archives are. Only this service does. */
export function monitorArchives({ lags }: Store['archives'], metrics: Pick<Metrics, 'gauge'>): void {
  metrics.gauge('sluice_archive_lag_seconds', async () => {
    const late = await within(scrapeMs, 'MongoDB does not answer', lags()).catch(() => ({}));
    return Object.entries(late).map(([state, ms]) => ({ value: ms / 1_000, labels: { state } }));
  });
}
