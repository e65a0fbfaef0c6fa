import type { JobStore } from '@sluice/store/jobs/jobs.ts';

const everyMs = 60_000;
const keptMs = 3_600_000;

/** Passes a file on; it does not expire while it is read, however slowly. */
export async function* keeping(jobs: JobStore, id: string, source: AsyncIterable<Buffer>) {
  // It may be about to expire.
  let keptAt = Number.NEGATIVE_INFINITY;
  for await (const bytes of source) {
    if (performance.now() - keptAt > everyMs) {
      keptAt = performance.now();
      await jobs.keep(id, new Date(Date.now() + keptMs));
    }
    yield bytes;
  }
}
