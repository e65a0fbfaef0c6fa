import { repeat } from './repeat.ts';

/** The job has ended, or another worker has it. */
export class LeaseLost extends Error {}

export interface LeaseTimings {
  /** A worker that is silent for this long loses what it has. */
  leaseMs: number;
  heartbeatMs: number;
}

export interface Lease {
  /** Throws LeaseLost when the work must stop. */
  check(): void;
  /** Resolves when no heartbeat is under way any more. */
  end(): Promise<void>;
}

/** Renews a lease as long as it is worked under. `renew` resolves with false when the lease is lost. */
export function keepLease(renew: () => Promise<boolean>, { leaseMs, heartbeatMs }: LeaseTimings): Lease {
  let isLost = false;
  let renewedAt = performance.now();
  let beating = Promise.resolve();

  async function beat(): Promise<void> {
    const askedAt = performance.now();
    if (await renew()) renewedAt = askedAt;
    else isLost = true;
  }

  const stop = repeat(heartbeatMs, () => {
    // MongoDB may be back before the lease is over.
    beating = beat().catch(() => undefined);
    return beating;
  });

  return {
    check() {
      // This process may have been stopped for longer than its lease.
      if (isLost || performance.now() - renewedAt > leaseMs) throw new LeaseLost();
    },
    async end() {
      stop();
      await beating;
    },
  };
}
