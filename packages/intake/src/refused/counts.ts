import { type KeyCount, type LossKind, sumOf } from '@sluice/store/refused/losses.ts';
import {
  createCountKeys,
  type MinuteCounts,
  minuteOf,
  type ReasonCount,
} from '@sluice/store/refused/refusal-counts.ts';
import { overShare } from './over-share.ts';
import { groupOfLoss, nameOf, type ToldReason } from './refused-upload.ts';

/** Reasons of an application within a minute. Further reasons are counted together. */
const mostReasons = 100;
/** Ingest keys of an application within a minute. Uploads with further keys count as without a key. */
const mostKeys = 100;
/** Reasons and keys of all applications and minutes that memory tells apart; they take about 30 MB. */
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
  /** By ingest key. */
  keys: Map<string, KeyCount & { key: string }>;
  /** By name, without the others. */
  reasons: Map<string, ReasonCount>;
  others?: ReasonCount;
  lost: Map<LossKind, ReasonCount>;
}

interface ChangedCounts {
  minute: Minute;
  /** The part of the minute's total. */
  total: number;
  counts: MinuteCounts;
}

const ownerOf = ({ owner }: Minute) => owner;
const applicationOf = ({ id }: Minute) => id;
const sizeOf = ({ reasons, keys }: Minute) => reasons.size + keys.size;

/**
 * Keeps exact counts in memory until they are stored.
 *
 * At most `pending` reasons and keys are counted apart. Beyond, the owners with most reasons and keys lose their keys and rarest reasons.
 */
export function createCounts(pending = mostPending) {
  const newKey = createCountKeys();
  /** The latest minute of each application, and earlier minutes that are not stored. */
  const minutes = new Map<string, Minute>();
  const late = new Set<Minute>();
  /** Reasons and keys that are told apart. */
  let apart = 0;

  const all = () => [...late, ...minutes.values()];

  function minuteFor({ id, owner }: Counted, now: number): Minute {
    const at = minuteOf(now);
    const known = minutes.get(id);
    // If MongoDB is away for long, the latest minute also counts later refusals.
    if (known && (known.at === at || minutes.size + late.size >= pending)) return known;
    if (known) late.add(known);
    const minute: Minute = {
      id,
      owner,
      at,
      key: newKey(id, at),
      total: 0,
      stored: 0,
      keys: new Map(),
      reasons: new Map(),
      lost: new Map(),
    };
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
    if (apart >= pending) mergeSome();
    const count = { ...told, count: 0, firstAt: now, lastAt: now };
    minute.reasons.set(name, count);
    apart += 1;
    return count;
  }

  function lossOf(minute: Minute, kind: LossKind, now: Date): ReasonCount {
    const told = groupOfLoss(kind) ?? { path: '', keyword: kind, message: '' };
    const known = minute.lost.get(kind) ?? { ...told, count: 0, firstAt: now, lastAt: now };
    minute.lost.set(kind, known);
    return known;
  }

  /** Undefined without a key, and for further keys than are told apart. */
  function keyOf(minute: Minute, key: string | undefined): KeyCount | undefined {
    if (key === undefined) return undefined;
    const known = minute.keys.get(key);
    if (known || minute.keys.size >= mostKeys) return known;
    if (apart >= pending) mergeSome();
    const count = { key, refused: 0, lost: {} };
    minute.keys.set(key, count);
    apart += 1;
    return count;
  }

  /** Merges more than needed, so that the next reason does not do so again. */
  function mergeSome(): void {
    const room = (pending * 7) / 8;
    for (const { items, share } of overShare(all(), sizeOf, room, [ownerOf, applicationOf]))
      for (const minute of items) mergeRarest(minute, Math.floor(share / items.length));
  }

  function mergeRarest(minute: Minute, most: number): void {
    if (sizeOf(minute) <= most) return;
    apart -= minute.keys.size;
    minute.keys.clear();
    const rarest = [...minute.reasons].sort(([, a], [, b]) => b.count - a.count).slice(most);
    for (const [name, { count, firstAt, lastAt }] of rarest) {
      const others = othersOf(minute, firstAt);
      others.count += count;
      if (firstAt < others.firstAt) others.firstAt = firstAt;
      if (lastAt > others.lastAt) others.lastAt = lastAt;
      minute.reasons.delete(name);
    }
    apart -= rarest.length;
  }

  function forget(minute: Minute): void {
    apart -= sizeOf(minute);
    late.delete(minute);
    if (minutes.get(minute.id) === minute) minutes.delete(minute.id);
  }

  return {
    /** `key`: of the ingest key with which it came. Returns the reason by which it was counted. */
    add(
      application: Counted,
      told: ToldReason,
      now: Date,
      { times = 1, key }: { times?: number; key?: string | undefined } = {},
    ): ToldReason {
      const minute = minuteFor(application, now.getTime());
      const reason = countFor(minute, told, now);
      addTo(minute, reason, now, times);
      const ofKey = keyOf(minute, key);
      if (ofKey) ofKey.refused += times;
      return reason === minute.others ? otherReason : told;
    },

    addLoss(application: Counted, kind: LossKind, now: Date, key?: string): void {
      const minute = minuteFor(application, now.getTime());
      addTo(minute, lossOf(minute, kind, now), now, 1);
      const ofKey = keyOf(minute, key);
      if (ofKey) ofKey.lost[kind] = (ofKey.lost[kind] ?? 0) + 1;
    },

    /** A copy of the counts that changed since they were stored. */
    changed(): ChangedCounts[] {
      const due = all().filter(({ total, stored }) => total > stored);
      return due.map((minute) => ({ minute, total: minute.total, counts: toCounts(minute) }));
    },

    /** Stores a copy, and forgets past minutes. */
    async store(changed: ChangedCounts[], write: (minutes: MinuteCounts[]) => Promise<void>): Promise<void> {
      const current = minuteOf(Date.now());
      if (changed.length > 0) await write(changed.map(({ counts }) => counts));
      for (const { minute, total } of changed) minute.stored = total;
      for (const minute of all()) if (minute.at !== current && minute.stored === minute.total) forget(minute);
    },
  };
}

function addTo(minute: Minute, reason: ReasonCount, now: Date, times: number): void {
  reason.count += times;
  reason.lastAt = now;
  minute.total += times;
}

/** A copy. */
function toCounts({ key, total, keys, reasons, others, lost }: Minute): MinuteCounts {
  const losses = [...lost];
  const ofLosses = Object.fromEntries(losses.map(([kind, { count }]) => [kind, count]));
  const groups = losses.flatMap(([kind, loss]) => (groupOfLoss(kind) ? [loss] : []));
  const counted = [...reasons.values(), ...(others ? [others] : []), ...groups];
  return {
    key,
    total: total - sumOf(ofLosses),
    ...(losses.length > 0 && { lost: ofLosses }),
    ...(keys.size > 0 && { keys: Array.from(keys.values(), (count) => structuredClone(count)) }),
    reasons: counted.map((reason) => ({ ...reason })),
  };
}
