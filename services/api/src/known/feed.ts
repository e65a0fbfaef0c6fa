import { unavailable } from '@sluice/shared/errors.ts';
import type { Logger } from '@sluice/shared/logger.ts';
import { repeat } from '@sluice/shared/repeat.ts';
import type { ChangeStore, Changes, Revision } from '@sluice/store/changes.ts';

/** The oldest knowledge with which an upload is judged. It is mostly stored within the rest of a second. */
const maxAgeMs = 800;
const askEveryMs = 400;
/** What was revoked stays in MongoDB for a day: who hears nothing for long forgets all. */
const longestMs = 3_600_000;

/** The documents that knowledge was made of, each by its id and the revision that was read. */
export type Basis = (readonly [id: string, Revision])[];

/** Whether something was made of a document that has changed. */
export const hasChanged = (basis: Basis, changed: Changes['revisions']): boolean =>
  basis.some(([id, revision]) => (changed.get(id) ?? revision) !== revision);

/** `undefined`: anything may have changed. */
type Listener = (changed: Changes['revisions'] | undefined) => void;

export type Feed = ReturnType<typeof createFeed>;

/** Hears of each change of what uploads and live streams may do, within half a second. See docs/decisions/0033-one-feed.md. */
export function createFeed(changes: ChangeStore, log: Pick<Logger, 'debug'>) {
  const listeners = new Set<Listener>();
  const none: Changes['revisions'] = new Map();
  let last: Changes | undefined;
  /** The begin of the last question that was answered. */
  let askedAt = Number.NEGATIVE_INFINITY;
  let asking: Promise<void> | undefined;

  function tell(changed: Changes['revisions'] | undefined): void {
    for (const listener of listeners) listener(changed);
  }

  async function ask(): Promise<void> {
    const now = performance.now();
    if (last && now - askedAt > longestMs) last = undefined;
    const before = last;
    last = await changes.since(before?.until);
    if (!last || !before) tell(undefined);
    if (!last) throw unavailable('the database is not ready');
    askedAt = now;
    const fresh = [...last.revisions].filter(([id, revision]) => before?.revisions.get(id) !== revision);
    if (before && fresh.length > 0) tell(new Map(fresh));
  }

  /** One question at a time. */
  function askOnce(): Promise<void> {
    asking ??= ask().finally(() => {
      asking = undefined;
    });
    return asking;
  }

  /** Resolves when a question was answered that began at `time` or later. Rejects when one that began after the call fails. */
  async function since(time: number): Promise<void> {
    if (askedAt < time) await asking?.catch(() => undefined);
    if (askedAt < time) await askOnce();
  }

  const missed = ({ message }: Error) => log.debug({ event: 'feed.missed', reason: message });
  const stop = repeat(askEveryMs, () => askOnce().catch(missed));

  return {
    /** Whether what is known may be used. */
    isCurrent: (): boolean => performance.now() - askedAt <= maxAgeMs,
    /** Resolves when it may. Rejects while MongoDB is away. */
    current: (): Promise<void> => since(performance.now() - maxAgeMs),
    /** Resolves when all is known that was answered before this call. */
    renew: (): Promise<void> => since(performance.now()),

    /** Whether one of these documents is known to have changed since it was read. */
    isOutdated(basis: Basis): boolean {
      const revisions = last?.revisions ?? none;
      return revisions.size > 0 && basis.some(([id, revision]) => (revisions.get(id) ?? 0n) > revision);
    },

    /** Returns how to stop. */
    listen(listener: Listener): () => void {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },

    close: stop,
  };
}
