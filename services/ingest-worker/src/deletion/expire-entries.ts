import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from '@sluice/shared/logger.ts';
import type { Expiring } from '@sluice/store/applications/applications.ts';
import type { Store } from '@sluice/store/connect.ts';

/** Entries deleted by one transaction. */
const batch = 2_000;
/** So many times as long as a transaction took it rests, so that uploads hardly notice. */
const restsPerWork = 9;

/**
 * How long to rest, in ms, after `workMs` in which the oldest entry of an application became `gainedMs` younger: less where many
 * applications, or many uploads, would otherwise make more expire than is deleted.
 */
export const restOf = ({ workMs, gainedMs, applications }: Pace): number =>
  Math.max(0, Math.min(restsPerWork * workMs, gainedMs / applications - workMs));

interface Pace {
  workMs: number;
  gainedMs: number;
  /** That have their turn until this one has it again. */
  applications: number;
}

/** An application of which all before `from` has gone. What comes there meanwhile goes the next time. */
type Turn = Expiring & { from?: Date };

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

  /** Deletes the oldest of them; resolves with how many, and with the times of the oldest one before and after. */
  async function expireSome(application: Turn): Promise<{ deleted: number; from: Date; left: Date }> {
    const { id, retentionDays } = application;
    const to = new Date(Date.now() - retentionDays * dayMs);
    const from = (await entries.oldest(id, application.from)) ?? to;
    const { value: oldest } = await entries.stretches(id, { from, to }, batch).next();
    if (!oldest || !(await deletions.lease(id, holder, leaseMs))) return { deleted: 0, from, left: from };
    const deleted = await deletions.remove(id, oldest, {
      after: (session, deleted) => audit.countOfDay(session, record(application), deleted),
    });
    return { deleted, from, left: (await entries.oldest(id, from)) ?? new Date() };
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
          const { deleted, from, left } = await expireSome(application);
          if (deleted === 0) continue;
          gainedMs = left.getTime() - from.getTime();
          further.push({ ...application, from: left });
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
