import { tmpdir } from 'node:os';
import { createFileHashes } from '@sluice/export-worker/export/commits.ts';
import type { ReadEntriesOptions } from '@sluice/export-worker/export/read-entries.ts';
import { createWriteFile } from '@sluice/export-worker/export/write-file.ts';
import type { Store } from '@sluice/jobs/connect.ts';
import type { Turn } from '@sluice/jobs/kind.ts';
import type { NewExport } from '@sluice/jobs/record/export-jobs.ts';
import type { ExportJob } from '@sluice/jobs/record/export-record.ts';
import { createLogger } from '@sluice/shared/logger.ts';

const log = createLogger('test', { level: 'silent', pretty: false });

/** Writes the file of an export in the process of the test, on a store that may fail where the test wants. */
export const writerOn = (store: Store, openObjects: ReadEntriesOptions['openObjects'] = noArchive) =>
  createWriteFile({ store, hashes: createFileHashes(), openObjects, folder: tmpdir(), log });

function noArchive(): never {
  throw new Error('nothing is in an archive');
}

/** Of a job that nobody else has. */
export const claim: Pick<Turn, 'check' | 'checkLease' | 'giveWay'> = {
  check() {},
  checkLease() {},
  async giveWay() {},
};

/** An export that this test has, and that no queue knows of. */
export async function createClaimed({ jobs }: Store, job: NewExport, leaseMs: number): Promise<ExportJob> {
  const { id } = await jobs.exports.create(job);
  return (await jobs.claim('export', id, leaseMs)) as ExportJob;
}
