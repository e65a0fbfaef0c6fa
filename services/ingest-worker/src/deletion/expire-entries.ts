import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Store } from '@sluice/jobs/connect.ts';
import type { Logger } from '@sluice/shared/logger.ts';
import { repeat } from '@sluice/shared/repeat.ts';
import type { Expiring } from '@sluice/store/applications/applications.ts';
import type { EntryId } from '@sluice/store/entries/entry-id.ts';

/** Entries deleted by one transaction. */
const batch = 2_000;
/** So many times as long as a transaction took it rests, so that uploads hardly notice. */
const restsPerWork = 9;

/**
 * The pause in ms after `workMs` of work, in which the oldest entry of an application became `gainedMs` younger.
 * The pause is shorter if entries would otherwise expire faster than they are deleted.
 */
export const restOf = ({ workMs, gainedMs, applications }: Pace): number =>
  Math.max(0, Math.min(restsPerWork * workMs, gainedMs / applications - workMs));

interface Pace {
  workMs: number;
  gainedMs: number;
  /** That have their turn until this one has it again. */
  applications: number;
}

/** An application, and its oldest entry where that is known. What comes below it meanwhile goes the next time. */
type Turn = Expiring & { from?: EntryId };

const leaseMs = 60_000;
const dayMs = 24 * 60 * 60_000;

interface Dependencies {
  store: Pick<Store, 'applications' | 'entries' | 'deletions' | 'audit'>;
  /** How long the record of it is kept. */
  auditRetentionMs: number;
  log: Logger;
}

/** Deletes entries that are older than their application keeps them, a batch of each application in turn. */
export function createExpireEntries({ store, auditRetentionMs, log }: Dependencies) {
  const { applications, entries, deletions, audit } = store;
  const holder = randomUUID();

  function record({ domain, owner }: Expiring) {
    const at = new Date();
    return {
      user: owner.id,
      username: owner.username,
      action: 'entries.expired' as const,
      application: domain,
      at,
      address: 'ingest-worker',
      requestId: randomUUID(),
      expiresAt: new Date(at.getTime() + auditRetentionMs),
    };
  }

  /** Deletes the oldest of them; undefined when there is none, or another worker does it. */
  async function expireSome(application: Turn) {
    const { id, retentionDays, from } = application;
    const to = new Date(Date.now() - retentionDays * dayMs);
    const piece = await entries.oldest(id, { from, to, limit: batch });
    if (!piece || !(await deletions.lease(id, holder, leaseMs))) return undefined;
    const deleted = await deletions.remove(id, piece.query, {
      after: (session, deleted) => audit.countOfDay(session, record(application), deleted),
    });
    return { ...piece, deleted };
  }

  /** Until nothing of them is left that is too old. */
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
          const { deleted, first, next } = expired;
          if (next) {
            gainedMs = next.createdAt.getTime() - first.createdAt.getTime();
            further.push({ ...application, from: next.id });
          }
          log.debug({ event: 'entries.expired', application: application.id, deleted });
        } catch (error) {
          // It must not keep the others waiting.
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
/** Milestones of an application that a count has to correct; more are corrected in the store. */
const mostScattered = 100;

/** Deletes expired entries, and follows up deletions, as long as the worker runs, beside its jobs. Returns how to stop, before the store is closed. */
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
