import { within } from '@sluice/shared/deadline.ts';
import { repeat } from '@sluice/shared/repeat.ts';

/** The job has ended, or another worker has it. */
export class LeaseLost extends Error {
  override name = 'LeaseLost';
}

export interface LeaseTimings {
  /** A worker that is silent for this long loses its lease. */
  leaseMs: number;
  heartbeatMs: number;
}

export interface Lease {
  /** Throws LeaseLost when the work must stop. */
  check(): void;
}

/**
 * Renews a lease as long as the work under it lasts. Rejects with LeaseLost as soon as it is lost, whatever the work still waits for:
 * what it writes then does not count. `renew` resolves with false when the lease is lost.
 */
export async function underLease<T>(
  renew: () => Promise<boolean>,
  { leaseMs, heartbeatMs }: LeaseTimings,
  work: (lease: Lease) => Promise<T>,
): Promise<T> {
  let isLost = false;
  let renewedAt = performance.now();
  let beating = Promise.resolve();
  const lost = Promise.withResolvers<never>();

  /** This process may have been stopped for longer than its lease. */
  const hasEnded = () => isLost || performance.now() - renewedAt > leaseMs;

  function check(): void {
    if (hasEnded()) throw new LeaseLost();
  }

  async function beat(): Promise<void> {
    const askedAt = performance.now();
    try {
      if (await within(leaseMs, 'MongoDB does not answer', renew())) renewedAt = askedAt;
      else isLost = true;
    } catch {
      // It may be back before the lease is over.
    }
    if (hasEnded()) lost.reject(new LeaseLost());
  }

  const stop = repeat(heartbeatMs, () => {
    beating = beat();
    return beating;
  });
  try {
    const result = await Promise.race([work({ check }), lost.promise]);
    stop();
    await beating;
    return result;
  } finally {
    stop();
  }
}
