import type { Store } from '@sluice/jobs/connect.ts';
import type { AlertSettings, TakenAlert } from '@sluice/store/alerts/alerts.ts';
import { eventsOf } from '@sluice/store/alerts/alerts.ts';
import type { Matter } from '@sluice/store/alerts/mails.ts';
import { roleOf } from '@sluice/store/applications/application-document.ts';
import type { ApplicationRecord } from '@sluice/store/applications/applications.ts';
import { createReadNews } from '../webhooks/news.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
/** Nothing new. Whoever makes news makes the alert due; this is for a process that died just then. */
const idleMs = hourMs;
const untilNext = (lengthMs: number) => lengthMs - (Date.now() % lengthMs);

/** Puts what an alert tells into the outbox. Resolves with when to look again, in ms. */
export function createLook(store: Store) {
  const { alerts, addresses, applications, mails, users } = store;
  const readNews = createReadNews(store);

  /** Undefined: the alert is another worker's. */
  async function lookFor(
    matter: Matter,
    alert: TakenAlert,
    application: ApplicationRecord,
  ): Promise<number | undefined> {
    const events = eventsOf[matter];
    const { progress, made } = await readNews(application, { ...alert, events });
    if (Object.keys(progress).length === 0) return alert.progress.isOver ? untilNext(minuteMs) : idleMs;
    const news = made.flatMap(({ type, content }) =>
      'data' in content ? [{ type, data: content.data }] : [],
    );
    const owner = application.owner.id;
    if (news.length > 0 && (await mails.isFull(owner))) return untilNext(hourMs);
    const content = { alert: alert.id, matter, application: application.id, news };
    const recorded = await alerts.record(alert, progress, news.length > 0 ? { owner, content } : undefined);
    if (recorded === 'lost') return undefined;
    if (recorded === 'later') return untilNext(hourMs);
    // There may be more.
    return 0;
  }

  return async function look(alert: TakenAlert): Promise<number> {
    const application = await applications.byId(alert.application);
    if (!application) return idleMs;
    const isMember = roleOf(application, alert.user) !== undefined;
    if (!isMember) await alerts.remove(alert.id);
    if (!isMember || !(await addresses.of(alert.user)).address) return idleMs;
    const { owner } = application;
    if ((await users.disabledAmong([alert.user, owner.id])).size > 0) return idleMs;
    let nextMs = idleMs;
    for (const matter of Object.keys(alert.settings) as (keyof AlertSettings)[]) {
      const inMs = await lookFor(matter, alert, application);
      if (inMs === undefined) return idleMs;
      nextMs = Math.min(nextMs, inMs);
    }
    return nextMs;
  };
}
