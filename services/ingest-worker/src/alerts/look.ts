import type { Store } from '@sluice/jobs/connect.ts';
import type { AlertSettings, TakenAlert } from '@sluice/store/alerts/alerts.ts';
import { editorMatters, type Matter } from '@sluice/store/alerts/mails.ts';
import { roleOf } from '@sluice/store/applications/application-document.ts';
import type { ApplicationRecord } from '@sluice/store/applications/applications.ts';
import { createReadMatter } from './read-matter.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
/** Nothing new. Whoever makes news makes the alert due; this is for a process that died just then. */
const idleMs = hourMs;
const untilNext = (lengthMs: number) => lengthMs - (Date.now() % lengthMs);

/** Puts what an alert tells into the outbox. Resolves with when to look again, in ms. */
export function createLook(store: Store) {
  const { alerts, addresses, applications, mails, users } = store;
  const readMatter = createReadMatter(store);

  /** Undefined: the alert is another worker's. */
  async function lookFor(
    matter: Matter,
    alert: TakenAlert,
    application: ApplicationRecord,
    hasReader: boolean,
  ): Promise<number | undefined> {
    const { progress, news } = await readMatter(matter, alert, application);
    // The count falls at the begin of a minute, and may rise again within it.
    const restMs = matter === 'refused' && alert.progress.isOver ? untilNext(minuteMs) : idleMs;
    if (Object.keys(progress).length === 0) return restMs;
    const owner = application.owner.id;
    const isTold = hasReader && news.length > 0;
    if (isTold && (await mails.isFull(owner))) return untilNext(hourMs);
    const content = { alert: alert.id, matter, application: application.id, news };
    const recorded = await alerts.record(alert, progress, isTold ? { owner, content } : undefined);
    if (recorded === 'lost') return undefined;
    if (recorded === 'later') return untilNext(hourMs);
    return progress.isOver ? untilNext(minuteMs) : idleMs;
  }

  return async function look(alert: TakenAlert): Promise<number> {
    const application = await applications.byId(alert.application);
    if (!application) return idleMs;
    const role = roleOf(application, alert.user);
    if (!role) {
      await alerts.remove(alert.id);
      return idleMs;
    }
    const [{ address }, disabled] = await Promise.all([
      addresses.of(alert.user),
      users.disabledAmong([alert.user, application.owner.id]),
    ]);
    // What nobody can be told now is not told later.
    const hasReader = address !== undefined && disabled.size === 0;
    let nextMs = idleMs;
    for (const matter of Object.keys(alert.settings) as (keyof AlertSettings)[]) {
      const mayKnow = role !== 'reader' || !editorMatters.includes(matter);
      const inMs = await lookFor(matter, alert, application, hasReader && mayKnow);
      if (inMs === undefined) return idleMs;
      nextMs = Math.min(nextMs, inMs);
    }
    return nextMs;
  };
}
