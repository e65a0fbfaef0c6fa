import type { Lease } from '@sluice/store/under-lease.ts';

/** The worker's side of a job that it has claimed. */
export interface Claim {
  lease: Pick<Lease, 'check'>;
  /** The process is to stop. */
  signal: AbortSignal;
}
