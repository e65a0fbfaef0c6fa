import { byLimit, unavailable } from '@sluice/shared/errors.ts';
import type { NewEntry, Outcome } from '@sluice/store/entries/entries.ts';
import { storeFault } from '@sluice/store/faults.ts';
import type { Capacity } from '../limits/capacity.ts';
import { capacities, uploadBytes } from '../limits/table.ts';

export interface CommitSizes {
  /** Commands on their way to MongoDB at once. */
  inFlight: number;
  /** Entries, and bytes, that one command takes of each queue. An item above the bytes goes alone. */
  entries: number;
  bytes: number;
}

export const commitSizes: CommitSizes = {
  inFlight: 2,
  entries: 500,
  // Of both queues, and as BSON at most 6.5 times as long, it stays below MongoDB's 16 MB.
  bytes: 1024 ** 2,
};

const { waitMs } = capacities.uploads;

interface Item {
  entries: NewEntry[];
  bytes: number;
  /** What it takes of the capacity of uploads that wait. */
  weight: number;
  since: number;
  resolve(outcomes: Outcome[]): void;
  reject(error: unknown): void;
}

/** All entries of an item are of one application. */
const applicationOf = (entries: NewEntry[]) => entries[0]?.application as string;

/** Uploads and chunks of batches wait apart, so that neither holds the other up. */
type Queue = 'uploads' | 'batches';

export interface GroupCommit {
  /**
   * Resolves with what became of each entry once all of them are decided. `bytes` is their length as JSON, or as BSON where they are that already.
   * Rejects when their outcome is unknown. Throws ApiError when too many uploads wait.
   */
  add(entries: NewEntry[], bytes: number, queue: Queue): Promise<Outcome[]>;
  /** What waits or is on its way, and the age of the oldest of it; 0 when there is nothing. */
  pending(): { bytes: number; oldestMs: number };
}

/** Hears of each command: its entries, its time in ms, and whether MongoDB answered it. */
type OnCommit = (entries: number, ms: number, result: 'ok' | 'failed') => void;

/**
 * Uploads that arrive while a command is on its way go together with the next one: no timer, so a lone
 * upload goes at once, and the busier it is the more of them share the price of a journaled commit.
 */
export function createGroupCommit(
  insert: (entries: NewEntry[]) => Promise<Outcome[]>,
  capacity: Pick<Capacity, 'take' | 'free'>,
  limits: CommitSizes = commitSizes,
  onCommit: OnCommit = () => {},
): GroupCommit {
  const queues = { uploads: createQueue(limits), batches: createQueue(limits) };
  const inFlight = new Set<Item[]>();
  let scheduled = false;
  let batchesAreNext = false;

  /** After what has been received by now is read, so that it all goes together. */
  function schedule(): void {
    if (
      scheduled ||
      inFlight.size === limits.inFlight ||
      (queues.uploads.isEmpty() && queues.batches.isEmpty())
    )
      return;
    scheduled = true;
    setImmediate(flush);
  }

  /** Of both queues, unless one of them has an item so large that it goes alone; then they take turns. */
  function take(): Item[] {
    const { uploads, batches } = queues;
    const isLarge = uploads.nextBytes() > limits.bytes || batches.nextBytes() > limits.bytes;
    if (!isLarge) return [...uploads.take(), ...batches.take()];
    batchesAreNext = !batches.isEmpty() && (uploads.isEmpty() || !batchesAreNext);
    return batchesAreNext ? batches.take() : uploads.take();
  }

  function flush(): void {
    scheduled = false;
    const latest = performance.now() - waitMs;
    const taken = take();
    for (const { entries, weight } of taken) if (weight > 0) capacity.free(applicationOf(entries), weight);
    const items = taken.filter((item) => item.since >= latest || refuse(item));
    if (items.length > 0) {
      inFlight.add(items);
      commit(items).finally(() => {
        inFlight.delete(items);
        schedule();
      });
    }
    schedule();
  }

  function refuse({ reject }: Item): boolean {
    reject(byLimit('capacity_uploads', unavailable('the database was too slow; nothing was stored')));
    return false;
  }

  async function insertAll(entries: NewEntry[]): Promise<Outcome[]> {
    const began = performance.now();
    let result: 'ok' | 'failed' = 'failed';
    try {
      const outcomes = await insert(entries);
      result = 'ok';
      return outcomes;
    } finally {
      onCommit(entries.length, performance.now() - began, result);
    }
  }

  async function commit(items: Item[]): Promise<void> {
    let outcomes: Outcome[];
    try {
      outcomes = await insertAll(items.flatMap(({ entries }) => entries));
    } catch (error) {
      // No fault of the store, so one of the entries could not be sent: the others are not to suffer.
      if (items.length > 1 && storeFault(error) === undefined) {
        for (const item of items) await commit([item]);
      } else for (const { reject } of items) reject(error);
      return;
    }
    let from = 0;
    for (const { entries, resolve } of items) {
      resolve(outcomes.slice(from, from + entries.length));
      from += entries.length;
    }
  }

  return {
    add(entries, bytes, queue) {
      // Chunks of batches are limited by the bytes of batches.
      const weight = queue === 'uploads' ? Math.max(bytes, uploadBytes) : 0;
      if (weight > 0) capacity.take(applicationOf(entries), weight);
      return new Promise((resolve, reject) => {
        queues[queue].push({ entries, bytes, weight, since: performance.now(), resolve, reject });
        schedule();
      });
    },

    pending() {
      const items = [...queues.uploads.all(), ...queues.batches.all(), ...[...inFlight].flat()];
      const bytes = items.reduce((sum, item) => sum + item.bytes, 0);
      const now = performance.now();
      return { bytes, oldestMs: items.reduce((age, { since }) => Math.max(age, now - since), 0) };
    },
  };
}

/** What waits, first in, first out. */
function createQueue(limits: CommitSizes) {
  let waiting: Item[] = [];

  return {
    isEmpty: () => waiting.length === 0,
    all: () => waiting,

    push(item: Item): void {
      waiting.push(item);
    },

    /** Of the first item; 0 when there is none. */
    nextBytes: () => waiting[0]?.bytes ?? 0,

    /** The first item, and as many more as one command takes. */
    take(): Item[] {
      let taken = 0;
      let entries = 0;
      let bytes = 0;
      for (const item of waiting) {
        if (
          taken > 0 &&
          (entries + item.entries.length > limits.entries || bytes + item.bytes > limits.bytes)
        )
          break;
        taken += 1;
        entries += item.entries.length;
        bytes += item.bytes;
      }
      const items = waiting.slice(0, taken);
      waiting = waiting.slice(taken);
      return items;
    },
  };
}
