import { type ApiError, byLimit, tooMany, unavailable } from '@sluice/shared/errors.ts';
import { createFairQueue, type FairQueue } from '@sluice/threads/fair-queue.ts';
import type { FastifyReply } from 'fastify';
import {
  type CapacityLimit,
  type CapacityName,
  capacities,
  retryAfterSeconds,
  sharePerClient,
} from './table.ts';

/** What one request uses. It is free again when the answer is sent or the client has left, and the work is over. */
export interface CapacityLease {
  /** Throws ApiError. */
  take(amount: number): void;
  during<T>(work: () => Promise<T>): Promise<T>;
}

export type Capacity = ReturnType<typeof createCapacity>;

interface Waiting {
  client: string;
  since: number;
  begin(): void;
  refuse(error: ApiError): void;
}

const endless = Number.POSITIVE_INFINITY;

/** Limits how much one process works on at once, with a share for each client. */
export function createCapacity(
  { what, limit, client: kind, waitMs = endless }: CapacityLimit,
  name?: CapacityName,
) {
  const share = sharePerClient * limit;
  const inUse = new Map<string, number>();
  /** Created when work has to wait: uploads never do. */
  let waiting: FairQueue<Waiting> | undefined;
  let total = 0;

  const ofClient = (client: string) => inUse.get(client) ?? 0;
  const refuse = (refusal: ApiError) => byLimit(`capacity_${name}`, refusal);
  const shareIsUsed = () =>
    refuse(tooMany(`too many ${what} of one ${kind} at once; nothing was done`, retryAfterSeconds));
  const isFull = () => refuse(unavailable(`too many ${what} at once; nothing was done`, retryAfterSeconds));

  function add(client: string, amount: number): void {
    total += amount;
    const own = ofClient(client) + amount;
    if (own > 0) inUse.set(client, own);
    else inUse.delete(client);
  }

  /** The only request of a client may exceed its share. The only request of all may exceed the limit. */
  function take(client: string, amount: number): void {
    const own = ofClient(client);
    if (own > 0 && own + amount > share) throw shareIsUsed();
    if (total > 0 && total + amount > limit) throw isFull();
    add(client, amount);
  }

  function free(client: string, amount: number): void {
    add(client, -amount);
    if (waiting) beginNext();
  }

  function beginNext(): void {
    while (total < limit) {
      const next = waiting?.take();
      if (!next) return;
      if (performance.now() - next.since > waitMs)
        next.refuse(ofClient(next.client) >= share ? shareIsUsed() : isFull());
      else {
        add(next.client, 1);
        next.begin();
      }
    }
  }

  async function finish<T>(client: string, amount: number, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } finally {
      free(client, amount);
    }
  }

  return {
    /** Throws ApiError: 429 if the client's share is used up, 503 if the process is full. */
    take,
    free,

    /** Takes an amount until the work is over. Rejects like `take`. */
    async run<T>(client: string, work: () => Promise<T>, amount = 1): Promise<T> {
      take(client, amount);
      return finish(client, amount, work);
    },

    /** Waits for 1, which clients get in turn, and takes it until the work is over. Rejects with ApiError after a wait of `waitMs`. */
    async runInFairOrder<T>(client: string, work: () => Promise<T>): Promise<T> {
      await new Promise<void>((begin, refuse) => {
        waiting ??= createFairQueue();
        waiting.push(client, { client, since: performance.now(), begin, refuse });
        beginNext();
      });
      return finish(client, 1, work);
    },

    lease({ raw }: FastifyReply, client: string): CapacityLease {
      let own = 0;
      let counted = 0;
      let isWorking = false;

      /** The answer and the work end in either order. */
      function recount(): void {
        const now = isWorking || !(raw.closed || raw.destroyed) ? own : 0;
        free(client, counted - now);
        counted = now;
      }
      raw.once('close', recount);

      return {
        take(amount) {
          take(client, amount);
          own += amount;
          counted += amount;
          recount();
        },
        async during(work) {
          isWorking = true;
          recount();
          try {
            return await work();
          } finally {
            isWorking = false;
            recount();
          }
        },
      };
    },
  };
}

export type Capacities = Record<CapacityName, Capacity>;

/** All capacities of a process, by their names in the table. */
export function createCapacities(table: Record<CapacityName, CapacityLimit> = capacities): Capacities {
  const names = Object.keys(table) as CapacityName[];
  const made = names.map((name) => [name, createCapacity(table[name], name)]);
  return Object.fromEntries(made);
}
