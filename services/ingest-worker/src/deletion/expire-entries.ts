import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Store } from '@sluice/jobs/connect.ts';
import type { Logger } from '@sluice/shared/logger.ts';
import { repeat } from '@sluice/shared/repeat.ts';
import { auditRecord } from '@sluice/store/accounts/audit.ts';
import type { Expiring } from '@sluice/store/applications/applications.ts';
import { type EntryId, idOfKey, timeOfId } from '@sluice/store/entries/entry-id.ts';
import { announcedBy } from '@sluice/store/entries/entry-range.ts';

/** Entries deleted by one transaction. */
const batch = 2_000;
/** The longest rest, as a multiple of the transaction's time, so that uploads are hardly slower. */
const restsPerWork = 9;

/**
 * How long to rest after a transaction of `workMs`, in ms. The oldest entry became `gainedMs` younger.
 * The rest is shorter if entries would otherwise expire faster than they are deleted.
 */
export const restOf = ({ workMs, gainedMs, applications }: Pace): number =>
  Math.max(0, Math.min(restsPerWork * workMs, gainedMs / applications - workMs));

interface Pace {
  workMs: number;
  gainedMs: number;
  /** Applications in the same round. */
  applications: number;
}

/** An application, and where its next piece begins. The next run deletes older entries that arrive meanwhile. */
type Turn = Expiring & { after?: EntryId };

const leaseMs = 60_000;
const dayMs = 24 * 60 * 60_000;

interface Dependencies {
  store: Pick<Store, 'applications' | 'archives' | 'entries' | 'deletions' | 'jobs' | 'audit' | 'removals'>;
  /** How long the audit record is kept. */
  auditRetentionMs: number;
  log: Logger;
}

/** Deletes expired entries, or those that an archive has, one batch of each application in turn. */
export function createExpireEntries({ store, auditRetentionMs, log }: Dependencies) {
  const { applications, archives, entries, deletions, jobs, audit, removals } = store;
  const holder = randomUUID();

  function record({ domain: application, owner, retentionArchive }: Expiring) {
    const origin = { address: 'ingest-worker', requestId: randomUUID() };
    const action = retentionArchive ? 'entries.archived' : 'entries.expired';
    return auditRecord(owner, { action, application }, origin, auditRetentionMs);
  }

  /** What may be taken away because all archives have it; undefined: nothing. */
  async function archivedOf({ id, retentionArchive }: Turn & { retentionArchive: string }) {
    return (await jobs.needStored(id)) ? undefined : archives.coveredByAll(id, retentionArchive);
  }

  /** Deletes the oldest expired entries; undefined: there are none, or another worker deletes them. */
  async function expireSome(application: Turn) {
    const { id, retentionDays, retentionArchive, after } = application;
    const to = new Date(Date.now() - retentionDays * dayMs);
    const covered = retentionArchive ? await archivedOf({ ...application, retentionArchive }) : undefined;
    if (retentionArchive && !covered) return undefined;
    const { value: piece } = await entries.pieces(id, { after, to, until: covered?.until }, batch).next();
    if (!piece?.first || !(await deletions.lease(id, holder, leaseMs))) return undefined;
    const { first, last } = piece;
    const query = covered ? { $and: [piece.query, announcedBy(covered.announced)] } : piece.query;
    const deleted = await deletions.remove(id, query, {
      isMove: covered !== undefined,
      async after(session, deleted, keys) {
        const highest = keys.at(-1);
        if (!highest) return;
        if (!(await applications.mayExpire(session, application, covered && idOfKey(highest))))
          throw new Error('the settings of its retention were changed meanwhile');
        if (covered && (await removals.areNoted(session, keys)))
          throw new Error('entries were stored again after their deletion: they stay until the next run');
        await audit.countOfDay(session, record(application), deleted);
      },
    });
    return { first, last, deleted };
  }

  return async function expireEntries(signal: AbortSignal): Promise<void> {
    let due: Turn[] = await applications.expiring();
    while (due.length > 0 && !signal.aborted) {
      const further: Turn[] = [];
      for (const application of due) {
        if (signal.aborted) return;
        const began = performance.now();
        let gainedMs = Number.POSITIVE_INFINITY;
        try {
          const expired = await expireSome(application);
          if (!expired) continue;
          const { deleted, first, last } = expired;
          if (last) {
            gainedMs = timeOfId(last).getTime() - timeOfId(first).getTime();
            further.push({ ...application, after: last });
          }
          log.debug({ event: 'entries.expired', application: application.id, deleted });
        } catch (error) {
          // A failure must not delay other applications.
          const reason = (error as Error).message;
          log.warn({ event: 'expiry.failed', application: application.id, reason });
        }
        const workMs = performance.now() - began;
        const rest = restOf({ workMs, gainedMs, applications: due.length });
        await pause(rest, undefined, { signal }).catch(() => undefined);
      }
      due = further;
    }
  };
}

const everyMs = 60_000;
/** Corrections of milestones that a count may add up; beyond, `fold` applies them to the milestones. */
const mostScattered = 100;

/** Deletes expired entries and follows up deletions while the worker runs. Call the result before the store is closed. */
export function startExpiring(store: Store, auditRetentionMs: number, log: Logger): () => void {
  const stopping = new AbortController();
  const expireEntries = createExpireEntries({ store, auditRetentionMs, log });
  const missed = (event: string) => (error: Error) => log.warn({ event, reason: error.message });

  async function fold(): Promise<void> {
    for (const application of await store.deletions.scattered(mostScattered))
      await store.deletions.fold(application);
  }

  const stopFolding = repeat(everyMs, () => fold().catch(missed('fold.missed')));
  const stopExpiring = repeat(everyMs, () => expireEntries(stopping.signal).catch(missed('expiry.missed')));
  return () => {
    stopping.abort();
    stopFolding();
    stopExpiring();
  };
}
