import type { JobStore } from '@sluice/jobs/record/jobs.ts';

const everyMs = 60_000;
const inAnHour = () => new Date(Date.now() + 3_600_000);

/** A cancelled job can be looked at for a while. False when the job was over before. */
export const cancelJob = (jobs: JobStore, id: string): Promise<boolean> => jobs.cancel(id, inAnHour());

/** Passes a file on; it does not expire while it is read, however slowly. */
export async function* keeping(jobs: JobStore, id: string, source: AsyncIterable<Buffer>) {
  // It may be about to expire.
  let keptAt = Number.NEGATIVE_INFINITY;
  for await (const bytes of source) {
    if (performance.now() - keptAt > everyMs) {
      keptAt = performance.now();
      await jobs.keep(id, inAnHour());
    }
    yield bytes;
  }
}
