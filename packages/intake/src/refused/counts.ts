import {
  createCountKeys,
  type MinuteCounts,
  minuteOf,
  type ReasonCount,
} from '@sluice/store/refused/refusal-counts.ts';
import { nameOf, type ToldReason } from './refused-upload.ts';

/** Reasons of an application within a minute. Further reasons are counted together. */
const mostReasons = 100;
/** Reasons of all applications and minutes in memory; they take about 30 MB. */
const mostPending = 50_000;
export const otherReason: ToldReason = { path: '', keyword: 'other', message: 'other reasons' };

interface Minute {
  application: string;
  at: number;
  key: MinuteCounts['key'];
  total: number;
  /** The part of `total` that is stored. */
  stored: number;
  reasons: Map<string, ReasonCount>;
}

interface ChangedCounts {
  minute: Minute;
  counts: MinuteCounts;
}

/** Keeps exact counts in memory until they are stored. `pending` limits the reasons in memory. */
export function createCounts(pending = mostPending) {
  const newKey = createCountKeys();
  /** The latest minute of each application, and earlier minutes that are not stored. */
  const minutes = new Map<string, Minute>();
  const late = new Set<Minute>();
  let reasons = 0;
  let uncounted = 0;

  function minuteFor(application: string, now: number): Minute | undefined {
    const at = minuteOf(now);
    const known = minutes.get(application);
    // If MongoDB is away for long, the latest minute also counts later refusals.
    if (known && (known.at === at || reasons >= pending)) return known;
    if (reasons >= pending) return undefined;
    if (known) late.add(known);
    const minute = { application, at, key: newKey(application, at), total: 0, stored: 0, reasons: new Map() };
    minutes.set(application, minute);
    return minute;
  }

  function countFor(minute: Minute, told: ToldReason, now: Date): ReasonCount {
    const name = nameOf(told);
    const known = minute.reasons.get(name);
    if (known) return known;
    const isFull = minute.reasons.size >= mostReasons - 1 || reasons >= pending;
    if (isFull && told !== otherReason) return countFor(minute, otherReason, now);
    const count = { ...told, count: 0, firstAt: now, lastAt: now };
    minute.reasons.set(name, count);
    reasons += 1;
    return count;
  }

  function forget(minute: Minute): void {
    reasons -= minute.reasons.size;
    late.delete(minute);
    if (minutes.get(minute.application) === minute) minutes.delete(minute.application);
  }

  return {
    add(application: string, told: ToldReason, now: Date, times = 1): void {
      const minute = minuteFor(application, now.getTime());
      if (!minute) {
        uncounted += times;
        return;
      }
      const reason = countFor(minute, told, now);
      reason.count += times;
      reason.lastAt = now;
      minute.total += times;
    },

    /** A copy of the counts that changed since they were stored. */
    changed(): ChangedCounts[] {
      const due = [...late, ...minutes.values()].filter(({ total, stored }) => total > stored);
      return due.map((minute) => ({
        minute,
        counts: {
          key: minute.key,
          total: minute.total,
          reasons: [...minute.reasons.values()].map((reason) => ({ ...reason })),
        },
      }));
    },

    /** Stores a copy, and forgets past minutes. */
    async store(changed: ChangedCounts[], write: (minutes: MinuteCounts[]) => Promise<void>): Promise<void> {
      const current = minuteOf(Date.now());
      if (changed.length > 0) await write(changed.map(({ counts }) => counts));
      for (const { minute, counts } of changed) minute.stored = counts.total;
      for (const minute of [...late, ...minutes.values()])
        if (minute.at !== current && minute.stored === minute.total) forget(minute);
    },

    /** Refusals without room in memory since the last call. */
    takeUncounted(): number {
      const taken = uncounted;
      uncounted = 0;
      return taken;
    },
  };
}
