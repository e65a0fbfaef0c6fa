import type { Store } from '@sluice/jobs/connect.ts';
import { within } from '@sluice/shared/deadline.ts';
import { type Metrics, scrapeMs } from '@sluice/shared/metrics/metrics.ts';

/** Asks at each scrape for the time of the last backup. Only this service does. */
export function monitorBackups({ lastAt }: Store['backup'], metrics: Pick<Metrics, 'gauge'>): void {
  metrics.gauge('sluice_backup_last_success_timestamp_seconds', async () => {
    const last = await within(scrapeMs, 'MongoDB does not answer', lastAt()).catch(() => undefined);
    return last ? [{ value: last.getTime() / 1_000, labels: {} }] : [];
  });
}
