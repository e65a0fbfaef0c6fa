import type { Store } from '@sluice/jobs/connect.ts';
import type { Change } from '@sluice/schemas/changes/report.ts';
import { eventsOf, type TakenAlert } from '@sluice/store/alerts/alerts.ts';
import type { AlertNews, Matter } from '@sluice/store/alerts/mails.ts';
import type { ApplicationRecord } from '@sluice/store/applications/applications.ts';
import type { NewDelivery } from '@sluice/store/webhooks/new-delivery.ts';
import type { Progress } from '@sluice/store/webhooks/webhook-records.ts';
import { createReadNews } from '../webhooks/news.ts';
import { createReadFailing } from './read-failing.ts';

/** One reading has one version of a schema, or some hundred jobs. */
const mostReadings = 50;
const shownChanges = 5;

const dataOf = ({ content }: NewDelivery): Record<string, unknown> => ('data' in content ? content.data : {});

/** How many jobs ended how: a mail has nothing of what they were asked for. */
function countJobs(made: NewDelivery[]): AlertNews[] {
  const byType = Map.groupBy(made, ({ type }) => type);
  return [...byType].map(([type, all]) => ({ type, data: { count: all.length } }));
}

/** Publications that may refuse more. */
function stricterOnes(made: NewDelivery[]): AlertNews[] {
  return made.flatMap((delivery) => {
    const { version, changes } = dataOf(delivery) as { version: number; changes: Change[] };
    const stricter = changes.filter(({ kind }) => kind !== 'looser');
    if (stricter.length === 0) return [];
    const shown = stricter.slice(0, shownChanges).map(({ path, message }) => ({ path, message }));
    return [{ type: delivery.type, data: { version, changes: shown, more: stricter.length - shown.length } }];
  });
}

const condense: Partial<Record<Matter, (made: NewDelivery[]) => AlertNews[]>> = {
  jobs: countJobs,
  publications: stricterOnes,
};

const asTheyAre = (made: NewDelivery[]): AlertNews[] =>
  made.map((delivery) => ({ type: delivery.type, data: dataOf(delivery) }));

/** All that there is to tell of a matter since the progress of an alert. */
export function createReadMatter(store: Store) {
  const readNews = createReadNews(store);
  const readFailing = createReadFailing(store);

  return async function readMatter(
    matter: Matter,
    alert: TakenAlert,
    application: ApplicationRecord,
  ): Promise<{ progress: Partial<Progress>; news: AlertNews[] }> {
    if (matter === 'failing') return readFailing(application.id, alert.progress);
    const progress: Partial<Progress> = {};
    const made: NewDelivery[] = [];
    for (let readings = 0; readings < mostReadings; readings++) {
      const reader = { ...alert, events: eventsOf[matter], progress: { ...alert.progress, ...progress } };
      const more = await readNews(application, reader);
      if (Object.keys(more.progress).length === 0) break;
      Object.assign(progress, more.progress);
      made.push(...more.made);
    }
    return { progress, news: (condense[matter] ?? asTheyAre)(made) };
  };
}
