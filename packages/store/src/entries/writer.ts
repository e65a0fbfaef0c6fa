import { DeadlineError, within } from '@sluice/shared/deadline.ts';
import { storeFault } from '../faults.ts';
import type { HorizonStore } from './horizon.ts';

const publishEveryMs = 250;
/** Idle writers are removed: they block the horizon. */
const quietMs = 2_000;
/** A process counts as dead this long after its last publication. */
const freshMs = 10_000;
/** An insert in doubt counts as decided after this number of answers from MongoDB: a minute. */
const doubtfulAnswers = 60_000 / publishEveryMs;
/** An unanswered publication is repeated after this time: one lost answer must not stop all uploads. */
const answerMs = 5_000;
const leaveMs = 1_000;

interface Undecided {
  /** The earliest time that an entry of this insert may have, in ms since the epoch. */
  since: number;
  applications: Iterable<string>;
  /** Publications until an insert in doubt counts as decided. */
  left: number;
}

export type Writer = ReturnType<typeof createWriter>;

/**
 * Gives entries their times. Publishes the time below which each insert of this process is decided. See
 * docs/decisions/0022-forward-sync.md.
 */
export function createWriter(
  horizon: HorizonStore,
  { doubtful = doubtfulAnswers, tell = async (_applications: string[]): Promise<void> => {} } = {},
) {
  const undecided = new Set<Undecided>();
  /** Applications with new entries that `tell` has not heard of. */
  let untold = new Set<string>();
  let writer = horizon.newWriter();
  /** The earliest time for the next entry. */
  let next = 0;
  /** What to add to `performance.now()` to get MongoDB's time, or a little less. */
  let offset = Number.NEGATIVE_INFINITY;
  let publishedAt = Number.NEGATIVE_INFINITY;
  /** `publishedAt` by the clock that also counts while the machine is paused. */
  let publishedOn = 0;
  let publishing: Promise<void> | undefined;
  let usedAt = 0;
  let timer: NodeJS.Timeout | undefined;

  /** The time for a new entry: MongoDB's, never less than before. */
  function now(): number {
    next = Math.max(next, Math.floor(offset + performance.now()));
    return next;
  }

  function decide(one: Undecided): void {
    undecided.delete(one);
    for (const application of one.applications) untold.add(application);
  }

  /** Usually before the horizon passes the entries. Where that fails it is done later: until then this process stays a writer. */
  async function tellUntold(): Promise<void> {
    const told = untold;
    if (told.size === 0) return;
    untold = new Set();
    await within(answerMs, 'MongoDB does not answer', tell([...told])).catch(() => {
      for (const application of told) untold.add(application);
    });
  }

  async function publish(): Promise<void> {
    next += 1;
    const isNew = publishedAt === Number.NEGATIVE_INFINITY;
    const openSince = isNew ? undefined : Math.min(next, ...Array.from(undecided, ({ since }) => since));
    const publishing = { writer, openSince, next };
    await tellUntold();
    const at = performance.now();
    const publication = horizon.publish(publishing);
    const answer = await within(answerMs, 'MongoDB does not answer', publication);
    // MongoDB told its time between the two: the answer that took least knows it best.
    offset = Math.min(Math.max(offset, answer.now - performance.now()), answer.now - at);
    next = Math.max(next, answer.clock);
    publishedAt = at;
    publishedOn = Date.now();
    for (const one of undecided) if (--one.left < 0) decide(one);
  }

  function publishOnce(): Promise<void> {
    publishing ??= publish().finally(() => {
      publishing = undefined;
    });
    return publishing;
  }

  /** Leaves, and becomes a new writer: late commands of this one cannot remove the new one. */
  async function leave(): Promise<void> {
    const left = { writer, next: next + 1 };
    clearTimeout(timer);
    timer = undefined;
    writer = horizon.newWriter();
    next = left.next;
    publishedAt = Number.NEGATIVE_INFINITY;
    await horizon.leave(left);
  }

  const isFresh = () =>
    performance.now() - publishedAt <= freshMs && Math.abs(Date.now() - publishedOn) <= freshMs;
  const isIdle = () => undecided.size === 0 && untold.size === 0 && !publishing;

  function goOn(): void {
    timer = setTimeout(async () => {
      const isQuiet = isIdle() && performance.now() - usedAt > quietMs;
      // If leaving fails, uploads wait until it succeeds, or a worker removes the writer.
      if (isQuiet) return leave().catch(() => {});
      await publishOnce().catch(() => {});
      if (timer) goOn();
    }, publishEveryMs);
    timer.unref();
  }

  return {
    /**
     * Stores entries of `applications` that have times of `now()`, in ms since the epoch, or of `since` on. They count as undecided until
     * `store` settles, or longer if it rejects and the outcome is not known.
     */
    async write<T>(
      store: (now: () => number) => Promise<T>,
      { since, applications = [] }: { since?: number; applications?: Iterable<string> } = {},
    ): Promise<T> {
      usedAt = performance.now();
      while (!isFresh())
        await publishOnce().catch((error) => {
          if (!(error instanceof DeadlineError)) throw error;
        });
      if (!timer) goOn();
      const one: Undecided = {
        since: Math.min(now(), since ?? Number.POSITIVE_INFINITY),
        applications,
        left: Number.POSITIVE_INFINITY,
      };
      undecided.add(one);
      try {
        const stored = await store(now);
        decide(one);
        return stored;
      } catch (error) {
        if (storeFault(error) === 'unknown') one.left = doubtful;
        else decide(one);
        throw error;
      }
    },

    /** Whether this process published lately. If not, it may count as dead, and its unstored entries as never stored. */
    isHeard: isFresh,

    /** Call when all writes have settled. */
    async close(): Promise<void> {
      if (!timer) return;
      clearTimeout(timer);
      timer = undefined;
      await publishing?.catch(() => {});
      const leaving = tellUntold().then(() => (isIdle() ? leave() : undefined));
      await within(leaveMs, 'MongoDB does not answer', leaving).catch(() => {});
    },
  };
}
