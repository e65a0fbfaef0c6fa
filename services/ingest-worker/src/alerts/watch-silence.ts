import type { Store } from '@sluice/jobs/connect.ts';
import { createSideBySide } from '@sluice/shared/side-by-side.ts';
import type { Served } from '@sluice/store/alerts/serving.ts';
import type { SourceRecord } from '@sluice/store/alerts/sources.ts';

const minuteMs = 60_000;
const atOnce = 10;

type Stores = Pick<Store, 'alerts' | 'webhooks' | 'rawEntries' | 'serving' | 'sources'>;

/** A source after another look. What came since the last look came now. */
export function lookAt(
  last: SourceRecord | undefined,
  newest: string | undefined,
  servedMs: number,
): SourceRecord {
  const isNew = newest !== undefined && newest > (last?.newest ?? '');
  if (last && !isNew) return last;
  return { ...(newest !== undefined && { newest }), sinceMs: servedMs };
}

/**
 * Looks at each source whose silence somebody wants to hear of, and makes those due whom its silence concerns. It measures by the time
 * that APIs served, and waits after an outage until senders had time to come back.
 */
export function createWatchSilence({ alerts, webhooks, rawEntries, serving, sources }: Stores) {
  /** By application, with the shortest silence that is waited for, in minutes. */
  async function watched(): Promise<Map<string, number>> {
    const shortest = new Map<string, number>();
    for (const waiting of [alerts.watched(), webhooks.watched()])
      for await (const { application, silence } of waiting)
        shortest.set(application, Math.min(silence, shortest.get(application) ?? silence));
    return shortest;
  }

  async function look(application: string, silence: number, last: SourceRecord | undefined, served: Served) {
    const { servedMs, settledMs } = served;
    const seen = lookAt(last, await rawEntries.newestId(application), servedMs);
    const quietMs = servedMs - seen.sinceMs;
    const isSilent = quietMs >= silence * minuteMs && servedMs >= settledMs;
    if (seen !== last || isSilent !== (last.isSilent ?? false))
      await sources.set(application, { ...seen, isSilent });
    if (!isSilent) return;
    const minutes = Math.floor(quietMs / minuteMs);
    await alerts.noteSilence(application, minutes, seen.sinceMs);
    await webhooks.noteSilence(application, minutes, seen.sinceMs);
  }

  return async function watchSilence(): Promise<void> {
    const served = await serving.read();
    if (!served) return;
    const all = await watched();
    await sources.keepOnly([...all.keys()]);
    const known = await sources.among([...all.keys()]);
    const sideBySide = createSideBySide(atOnce);
    for (const [application, silence] of all)
      await sideBySide.add(() => look(application, silence, known.get(application), served));
    await sideBySide.finish();
  };
}
