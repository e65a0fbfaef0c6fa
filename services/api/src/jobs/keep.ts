import type { JobStore } from '@sluice/shared/store/jobs.ts';

const everyMs = 60_000;
const keptMs = 3_600_000;

/** Passes a file on; it does not expire while it is read, however slowly. */
export async function* keeping(jobs: JobStore, id: string, source: AsyncIterable<Buffer>) {
  let keptAt = Date.now();
  for await (const bytes of source) {
    if (Date.now() - keptAt > everyMs) {
      keptAt = Date.now();
      await jobs.keep(id, new Date(keptAt + keptMs));
    }
    yield bytes;
  }
}
