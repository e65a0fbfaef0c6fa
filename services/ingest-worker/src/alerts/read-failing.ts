import type { Store } from '@sluice/jobs/connect.ts';
import type { AlertNews } from '@sluice/store/alerts/mails.ts';
import type { Progress } from '@sluice/store/webhooks/webhook-records.ts';

/** A receiver that is away for two minutes is no failure yet. */
const triesOfFailure = 4;

/** The archives and webhooks of an application that fail now, and of these what was not told. */
export function createReadFailing({
  archives,
  deliveries,
  webhooks,
}: Pick<Store, 'archives' | 'deliveries' | 'webhooks'>) {
  async function failing(application: string): Promise<Map<string, 'archive' | 'webhook'>> {
    const [ofArchives, ofWebhooks] = await Promise.all([
      archives.list(application),
      webhooks.list(application),
    ]);
    const found = new Map<string, 'archive' | 'webhook'>();
    for (const { id, state } of ofArchives) if (state === 'failing') found.set(id, 'archive');
    for (const { id, state } of ofWebhooks) {
      if (state === 'paused') continue;
      const tries = state === 'disabled' ? triesOfFailure : ((await deliveries.next({ id }))?.attempts ?? 0);
      if (tries >= triesOfFailure) found.set(id, 'webhook');
    }
    return found;
  }

  return async function readFailing(
    application: string,
    { toldFailing = [] }: Progress,
  ): Promise<{ progress: Partial<Progress>; news: AlertNews[] }> {
    const found = await failing(application);
    const ids = [...found.keys()];
    const isSame = ids.length === toldFailing.length && ids.every((id) => toldFailing.includes(id));
    if (isSame) return { progress: {}, news: [] };
    const fresh = ids.filter((id) => !toldFailing.includes(id));
    return {
      progress: { toldFailing: ids },
      news: fresh.map((id) => ({ type: `${found.get(id)}.failing`, data: { id } })),
    };
  };
}
