import { createFileHashes } from '@sluice/export-worker/export/file-hashes.ts';
import type { Hold } from '@sluice/export-worker/export/hold.ts';
import { createWriteFile } from '@sluice/export-worker/export/write-file.ts';
import { createLogger } from '@sluice/shared/logger.ts';
import type { Store } from '@sluice/shared/store/connect.ts';
import type { NewExport } from '@sluice/shared/store/export-jobs.ts';
import type { ExportJob } from '@sluice/shared/store/job-records.ts';
import { expect } from 'vitest';

const log = createLogger('test', { level: 'silent', pretty: false });

/** Writes the file of an export in the process of the test, on a store that may fail where the test wants. */
export const writerOn = (store: Store) => createWriteFile({ store, hashes: createFileHashes(store), log });

/** Of a job that nobody else has. */
export const hold: Hold = {
  check() {},
  isStopping: () => false,
  isLost: () => false,
  lose: () => expect.unreachable(),
  count() {},
  end() {},
};

/** Held by this test: a worker that has just made a file looks for the next job about now, and may be the first to see it. */
export async function createClaimed({ jobs }: Store, job: NewExport, leaseMs: number): Promise<ExportJob> {
  for (;;) {
    const { id } = await jobs.exports.create(job);
    const claimed = await jobs.exports.claim(leaseMs);
    if (claimed?.id === id) return claimed;
  }
}
