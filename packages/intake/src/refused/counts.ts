import {
  createCountKeys,
  type MinuteCounts,
  minuteOf,
  type ReasonCount,
} from '@sluice/store/refused/refusal-counts.ts';
import { overShare } from './over-share.ts';
import { nameOf, type ToldReason } from './refused-upload.ts';

/** Reasons of an application within a minute. Further reasons are counted together. */
const mostReasons = 100;
/** Reasons of all applications and minutes that memory tells apart; they take about 30 MB. */
const mostPending = 50_000;
export const otherReason: ToldReason = { path: '', keyword: 'other', message: 'other reasons' };

interface Counted {
  /** Id of the application. */
  id: string;
  /** Id of the owner. */
  owner: string;
}

interface Minute extends Counted {
  at: number;
  key: MinuteCounts['key'];
  total: number;
  /** The part of `total` that is stored. */
  stored: number;
  /** By name, without the others. */
  reasons: Map<string, ReasonCount>;
  others?: ReasonCount;
}

interface ChangedCounts {
  minute: Minute;
  counts: MinuteCounts;
}

const ownerOf = ({ owner }: Minute) => owner;
const applicationOf = ({ id }: Minute) => id;
const sizeOf = ({ reasons }: Minute) => reasons.size;

/**
 * Keeps exact counts in memory until they are stored.
 *
 * If there are more than `pending` reasons, the owners with most of them have their rarest ones counted together.
 */
export function createCounts(pending = mostPending) {
  const newKey = createCountKeys();
  /** The latest minute of each application, and earlier minutes that are not stored. */
  const minutes = new Map<string, Minute>();
  const late = new Set<Minute>();
  let reasons = 0;

  const all = () => [...late, ...minutes.values()];

  function minuteFor({ id, owner }: Counted, now: number): Minute {
    const at = minuteOf(now);
    const known = minutes.get(id);
    // If MongoDB is away for long, the latest minute also counts later refusals.
    if (known && (known.at === at || minutes.size + late.size >= pending)) return known;
    if (known) late.add(known);
    const minute = { id, owner, at, key: newKey(id, at), total: 0, stored: 0, reasons: new Map() };
    minutes.set(id, minute);
    return minute;
  }

  function othersOf(minute: Minute, at: Date): ReasonCount {
    minute.others ??= { ...otherReason, count: 0, firstAt: at, lastAt: at };
    return minute.others;
  }

  function countFor(minute: Minute, told: ToldReason, now: Date): ReasonCount {
    if (told === otherReason) return othersOf(minute, now);
    const name = nameOf(told);
    const known = minute.reasons.get(name);
    if (known) return known;
    if (minute.reasons.size >= mostReasons - 1) return othersOf(minute, now);
    if (reasons >= pending) mergeSome();
    const count = { ...told, count: 0, firstAt: now, lastAt: now };
    minute.reasons.set(name, count);
    reasons += 1;
    return count;
  }

  /** Merges more than needed, so that the next reason does not do so again. */
  function mergeSome(): void {
    const room = (pending * 7) / 8;
    for (const { items, share } of overShare(all(), sizeOf, room, [ownerOf, applicationOf]))
      for (const minute of items) mergeRarest(minute, Math.floor(share / items.length));
  }

  function mergeRarest(minute: Minute, most: number): void {
    const rarest = [...minute.reasons].sort(([, a], [, b]) => b.count - a.count).slice(most);
    for (const [name, { count, firstAt, lastAt }] of rarest) {
      const others = othersOf(minute, firstAt);
      others.count += count;
      if (firstAt < others.firstAt) others.firstAt = firstAt;
      if (lastAt > others.lastAt) others.lastAt = lastAt;
      minute.reasons.delete(name);
    }
    reasons -= rarest.length;
  }

  function forget(minute: Minute): void {
    reasons -= minute.reasons.size;
    late.delete(minute);
    if (minutes.get(minute.id) === minute) minutes.delete(minute.id);
  }

  return {
    /** Returns the reason by which it was counted. */
    add(application: Counted, told: ToldReason, now: Date, times = 1): ToldReason {
      const minute = minuteFor(application, now.getTime());
      const reason = countFor(minute, told, now);
      reason.count += times;
      reason.lastAt = now;
      minute.total += times;
      return reason === minute.others ? otherReason : told;
    },

    /** A copy of the counts that changed since they were stored. */
    changed(): ChangedCounts[] {
      const due = all().filter(({ total, stored }) => total > stored);
      return due.map((minute) => {
        const counted = [...minute.reasons.values(), ...(minute.others ? [minute.others] : [])];
        const counts = {
          key: minute.key,
          total: minute.total,
          reasons: counted.map((reason) => ({ ...reason })),
        };
        return { minute, counts };
      });
    },

    /** Stores a copy, and forgets past minutes. */
    async store(changed: ChangedCounts[], write: (minutes: MinuteCounts[]) => Promise<void>): Promise<void> {
      const current = minuteOf(Date.now());
      if (changed.length > 0) await write(changed.map(({ counts }) => counts));
      for (const { minute, counts } of changed) minute.stored = counts.total;
      for (const minute of all()) if (minute.at !== current && minute.stored === minute.total) forget(minute);
    },
  };
}
