import { timings } from '@sluice/jobs/queue/queues.ts';

/** For APIs of tests, which wait for counts of entries, and which get details and sign-ins on a busy machine too. */
export const quickApiTimings = { quotaCountMs: 500, explainWaitMs: 60_000, providerWaitMs: 60_000 };

/** For workers of tests, which wait for leases to end, and for sweeps. Long enough for a busy machine to renew a lease. */
export const quickTimings = {
  ...timings,
  leaseMs: 3_000,
  heartbeatMs: 300,
  lockMs: 3_000,
  sweepMs: 1_000,
  forgottenMs: 1_500,
  lateUploadMs: 2_000,
  webhookRetryMs: 200,
  alertsMs: 200,
  silenceMs: 200,
  mailRetryMs: 200,
};

/** For the workers of a Sluice that many test files share: its sweeps would cost as much as tests. */
export const calmTimings = {
  ...quickTimings,
  sweepMs: timings.sweepMs,
  alertsMs: timings.alertsMs,
  silenceMs: timings.silenceMs,
};
