import { byLimit, unavailable } from '@sluice/shared/errors.ts';
import type { NewEntry, Outcome } from '@sluice/store/entries/entries.ts';
import { storeFault } from '@sluice/store/faults.ts';
import type { Capacity } from '../limits/capacity.ts';
import { capacities, uploadBytes } from '../limits/table.ts';

export const commitSizes = {
  /** Concurrent commands to MongoDB. */
  inFlight: 2,
  /** What one command takes from each queue. An item with more bytes goes alone. */
  entries: 500,
  bytes: 1024 ** 2,
};

export type CommitSizes = typeof commitSizes;

const { waitMs } = capacities.uploads;

interface Item {
  /** Id of the owner. */
  owner: string;
  entries: NewEntry[];
  bytes: number;
  /** Its part of the capacity for waiting uploads. */
  weight: number;
  since: number;
  resolve(outcomes: Outcome[]): void;
  reject(error: unknown): void;
}

/** Uploads and chunks of batches have separate queues, so that neither delays the other. */
type Queue = 'uploads' | 'batches';

export type GroupCommit = ReturnType<typeof createGroupCommit>;

/** Called after each command. `ok` means that MongoDB answered. */
type OnCommit = (entries: number, ms: number, result: 'ok' | 'failed') => void;

/**
 * Uploads that arrive while commands are on their way share the next command. There is no timer: a lone upload goes at once,
 * and under load more uploads share the cost of a journaled commit.
 */
export function createGroupCommit(
  insert: (entries: NewEntry[]) => Promise<Outcome[]>,
  capacity: Pick<Capacity, 'take' | 'free'>,
  limits: CommitSizes = commitSizes,
  onCommit: OnCommit = () => {},
) {
  const queues = { uploads: createQueue(limits), batches: createQueue(limits) };
  const inFlight = new Set<Item[]>();
  let scheduled = false;
  let batchesAreNext = false;

  /** Flushes after the requests that have already arrived are read, so that they share a command. */
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

  /** Takes from both queues. While one of them has an item that must go alone, the queues alternate. */
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
    for (const { owner, weight } of taken) if (weight > 0) capacity.free(owner, weight);
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
      // Not a fault of the store: one entry could not be sent, and must not fail the others.
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
    /**
     * Resolves with the outcome of each entry. `bytes` is their length as BSON. Rejects if the outcomes are unknown. Throws ApiError if too many uploads wait.
     */
    add(entries: NewEntry[], bytes: number, queue: Queue, owner: string): Promise<Outcome[]> {
      // Batches have a capacity of their own.
      const weight = queue === 'uploads' ? Math.max(bytes, uploadBytes) : 0;
      if (weight > 0) capacity.take(owner, weight);
      return new Promise((resolve, reject) => {
        queues[queue].push({ owner, entries, bytes, weight, since: performance.now(), resolve, reject });
        schedule();
      });
    },

    /** What waits or is on its way, and the age of the oldest item. */
    pending() {
      const items = [...queues.uploads.all(), ...queues.batches.all(), ...[...inFlight].flat()];
      const bytes = items.reduce((sum, item) => sum + item.bytes, 0);
      const now = performance.now();
      return { bytes, oldestMs: items.reduce((age, { since }) => Math.max(age, now - since), 0) };
    },
  };
}

/** The same with commands of their own for entries with unique values. Such a command can wait for the transaction of an atomic batch; other entries must not. */
export function createCommit(...settings: Parameters<typeof createGroupCommit>): GroupCommit {
  const [plain, unique] = [createGroupCommit(...settings), createGroupCommit(...settings)];
  return {
    add(entries, ...rest) {
      const isUnique = entries.some(({ valueSince }) => valueSince !== undefined);
      return (isUnique ? unique : plain).add(entries, ...rest);
    },
    pending() {
      const [one, other] = [plain.pending(), unique.pending()];
      return { bytes: one.bytes + other.bytes, oldestMs: Math.max(one.oldestMs, other.oldestMs) };
    },
  };
}

function createQueue(limits: CommitSizes) {
  let waiting: Item[] = [];

  return {
    isEmpty: () => waiting.length === 0,
    all: () => waiting,

    push: (item: Item) => waiting.push(item),
    nextBytes: () => waiting[0]?.bytes ?? 0,

    /** The first item, and as many more as fit into one command. */
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
